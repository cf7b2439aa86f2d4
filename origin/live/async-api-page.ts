type Json = Readonly<Record<string, unknown>>;

/** The page loads nothing. */
export const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** The AsyncAPI document as a page without a script. */
export function asyncApiPage(document: Json): string {
  const { info, channels, components } = document as {
    readonly info: { readonly title: string; readonly description: string };
    readonly channels: Readonly<
      Record<string, { readonly address: string; readonly description: string; readonly messages: Json }>
    >;
    readonly components: { readonly messages: Readonly<Record<string, { readonly payload: unknown }>> };
  };
  const sections = Object.values(channels).map(
    ({ address, description, messages }) =>
      `<section><h2><code>${escaped(address)}</code></h2><p>${escaped(description)}</p>${Object.keys(messages)
        .map((name) => messageHtml(name, components.messages[name]?.payload))
        .join("")}</section>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(info.title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escaped(info.title)}</h1>
<p><a href="/api/v1/docs">REST API</a> · <a href="/api/v1/asyncapi.json">AsyncAPI document</a></p>
<p>${escaped(info.description)}</p>
${sections.join("\n")}
</main>
</body>
</html>
`;
}

function messageHtml(name: string, payload: unknown): string {
  return `<details><summary>${escaped(name)}</summary><pre>${escaped(JSON.stringify(payload, null, 2))}</pre></details>`;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

const escaped = (text: string) => text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? "");

const STYLE =
  ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;margin:0}main{max-width:60rem;margin:0 auto;padding:1rem}" +
  "pre{overflow:auto;font-size:.85rem}summary{cursor:pointer}";
