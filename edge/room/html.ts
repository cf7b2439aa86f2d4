/** Markup that is safe to send: everything in it that is not ours went through `escapeHtml`. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type HtmlValue = Html | readonly Html[] | string | number | undefined;

/** Escapes whatever is put into it, unless it is Html already. Nothing gives nothing. */
export function html(markup: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(markup.reduce((text, part, index) => text + write(values[index - 1]) + part));
}

/** For our own constants only: the style sheet and the script. */
export function trusted(text: string): Html {
  return new Html(text);
}

/** Data for a script in the page. No text in it can end the element. */
export function jsonForScript(value: unknown): Html {
  return new Html(JSON.stringify(value).replaceAll("<", "\\u003c"));
}

function write(value: HtmlValue): string {
  if (value === undefined) return "";
  if (value instanceof Html) return value.text;
  return typeof value === "object" ? value.map(write).join("") : escapeHtml(String(value));
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? "");
}
