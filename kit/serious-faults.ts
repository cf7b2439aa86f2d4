import axe, { type AxeResults } from "axe-core";
import type { Page } from "playwright-core";

/** The second colour scheme changes only colours. Other rules are not computed again. */
const RUNS = [
  { colorScheme: "light", options: "{ resultTypes: ['violations'] }" },
  { colorScheme: "dark", options: "{ resultTypes: ['violations'], runOnly: ['color-contrast'] }" },
] as const;

/** The serious faults that axe finds on the page as it is now, in light and dark. */
export async function seriousFaults(page: Page): Promise<readonly string[]> {
  // Handing it over takes longer than any of its runs.
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe.source);
  const faults: string[] = [];
  for (const { colorScheme, options } of RUNS) {
    await page.emulateMedia({ colorScheme });
    const { violations } = (await page.evaluate(`axe.run(document, ${options})`)) as AxeResults;
    const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
    faults.push(
      ...serious.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${colorScheme} ${id}: ${html.slice(0, 200)}`)),
    );
  }
  return faults;
}
