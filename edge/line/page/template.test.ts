import { describe, expect, it } from "vitest";
import { contrast, parseColour } from "../../../shared/look/colour.ts";
import { paletteOf } from "../../../shared/look/palette.ts";
import { LOGO_CHARS_MAX, type Template, templateSchema } from "./template.ts";
import { fillPlaceholders } from "./template-text.ts";

const PNG = `data:image/png;base64,${btoa("\x89PNG\r\n\x1a\nrest")}`;
const svg = (text: string) => `data:image/svg+xml;base64,${btoa(text)}`;

describe("a template", () => {
  it.each<Template>([
    {},
    { title: "Welcome to {{queueName}}", intro: "{{ position }} of {{total}}, {{wait}}" },
    { translations: { fa: { title: "خوش آمدید" } } },
    { colours: { light: { accent: "#FF0000" }, dark: { background: "#000000" } } },
    { logo: PNG, logoAlt: "Acme" },
    { logo: svg("<svg xmlns='http://www.w3.org/2000/svg'></svg>") },
  ])("may be %j", (template) => {
    expect(templateSchema.parse(template)).toEqual(template);
  });

  it.each([
    { colours: { light: { accent: "red" } } },
    { colours: { light: { accent: "#fff" } } },
    { colours: { light: { accent: "#000000;}body{display:none" } } },
    { colours: { light: { background: "url(https://evil.test)" } } },
    { title: "{{ticket}}" },
    { title: "{{constructor}}" },
    { title: "" },
    { title: "x".repeat(121) },
    { intro: "a\u0000b" },
    { intro: "a\u202Eb" },
    { translations: { sv: { title: "Hej" } } },
    { logo: "https://evil.test/logo.png" },
    { logo: "data:text/html;base64,PHN2Zz4=" },
    { logo: "data:image/svg+xml,<svg onload=alert(1)>" },
    { logo: `${PNG}" onerror="alert(1)` },
    { logo: `data:image/png;base64,${btoa("<svg></svg>")}` },
    { logo: svg("x".repeat(LOGO_CHARS_MAX)) },
    { html: "<b>" },
  ])("may not be %j", (template) => {
    expect(templateSchema.safeParse(template).success).toBe(false);
  });

  it("replaces placeholders in double braces, once", () => {
    const values = { queueName: "{{total}} & <b>", position: "7", total: "9", wait: "soon" };
    expect(fillPlaceholders("{{queueName}}: {{ position }}/{{total}}", values)).toBe("{{total}} & <b>: 7/9");
  });
});

describe("the colours of a page", () => {
  const channels = ["00", "30", "60", "77", "90", "c0", "ff"];
  const all = channels.flatMap((red) => channels.flatMap((green) => channels.map((blue) => `#${red}${green}${blue}`)));

  const pairs = all.flatMap((background, index) =>
    all.filter((_, at) => at % 11 === index % 11).map((accent) => ({ background, accent })),
  );

  it("can be read, whatever background and accent an operator chooses", () => {
    const worst = { text: 21, muted: 21, accent: 21, onAccent: 21, bar: 21 };
    for (const light of pairs) {
      const palette = paletteOf({ colours: { light } }, "light");
      const of = (name: keyof typeof palette) => parseColour(palette[name]);
      const onGrounds = (name: keyof typeof palette) =>
        Math.min(contrast(of(name), of("page")), contrast(of(name), of("surface")));
      for (const name of ["text", "muted", "accent"] as const) worst[name] = Math.min(worst[name], onGrounds(name));
      worst.onAccent = Math.min(worst.onAccent, contrast(of("onAccent"), of("accent")));
      worst.bar = Math.min(worst.bar, contrast(of("accent"), of("track")));
    }
    for (const name of ["text", "muted", "accent", "onAccent"] as const)
      expect([name, worst[name] >= 4.5]).toEqual([name, true]);
    expect(worst.bar).toBeGreaterThanOrEqual(3);
  });

  it("are the operator's own where they can be", () => {
    expect(paletteOf({ colours: { light: { background: "#ffffff", accent: "#8a1c1c" } } }, "light")).toMatchObject({
      page: "#ffffff",
      accent: "#8a1c1c",
      onAccent: "#ffffff",
    });
    expect(paletteOf({ colours: { light: { accent: "#ffff00" } } }, "light").accent).not.toBe("#ffff00");
    expect(paletteOf({ colours: { light: { accent: "#ffff00" } } }, "dark").accent).toBe("#ffff00");
  });
});
