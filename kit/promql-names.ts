/**
 * The metrics that a PromQL expression reads. It knows the few functions and words that our rules use, so that a typing
 * error in one of them is found as well; throws for anything else.
 */
export function promqlNames(expression: string): readonly string[] {
  checkLabels(expression);
  const bare = expression
    .replaceAll(/"(?:[^"\\]|\\.)*"/g, '""')
    .replaceAll(/\{[^{}]*\}/g, "")
    .replaceAll(/\[(?:\d+(?:ms|[smhdwy]))+\]/g, "")
    .replaceAll(/\b(by|without|on|ignoring)\s*\([\w\s,]*\)/g, "$1");
  checkBrackets(bare, expression);
  const words = [...bare.matchAll(/[A-Za-z_:][\w:]*(\s*\()?/g)].map(([word, call]) => ({
    name: word.replace(/\s*\($/, ""),
    isCall: call !== undefined,
  }));
  const wrong = bare.replaceAll(/[A-Za-z_:][\w:]*|\d+(?:\.\d+)?|==|!=|>=|<=|[-+*/%^<>(),\s]/g, "");
  if (wrong !== "") throw new Error(`not PromQL (${wrong}): ${expression}`);
  for (const { name, isCall } of words) {
    if (isCall && !FUNCTIONS.has(name) && !WORDS.has(name))
      throw new Error(`an unknown function ${name}: ${expression}`);
  }
  return words
    .filter(({ name, isCall }) => !isCall && !WORDS.has(name) && !FUNCTIONS.has(name))
    .map(({ name }) => name);
}

const FUNCTIONS = new Set(["max", "min", "sum", "rate", "increase", "changes", "absent", "histogram_quantile"]);
const WORDS = new Set(["and", "or", "unless", "by", "without", "on", "ignoring", "bool"]);

/** Matchers are `name operator "value"`, with commas between. */
function checkLabels(expression: string): void {
  for (const [, matchers = ""] of expression.matchAll(/\{([^{}]*)\}/g)) {
    if (!/^\s*(?:\w+\s*(?:=|!=|=~|!~)\s*"(?:[^"\\]|\\.)*"\s*(?:,\s*|$))*$/.test(matchers))
      throw new Error(`not labels: {${matchers}}`);
  }
}

function checkBrackets(bare: string, expression: string): void {
  let depth = 0;
  for (const letter of bare) {
    if (letter === "(") depth++;
    if (letter === ")") depth--;
    if (depth < 0) break;
  }
  if (depth !== 0 || /[[\]{}]/.test(bare)) throw new Error(`brackets do not match: ${expression}`);
}
