/** With the largest logo and the longest texts the page still has less than 15 kB on the wire. A logo as SVG or WebP has 1 to 2 kB. */
export const LOGO_CHARS_MAX = 3_000;

const DATA_URL = /^data:image\/(png|jpeg|webp|svg\+xml);base64,([A-Za-z0-9+/]+={0,2})$/;

const SIGNATURES: Readonly<Record<string, RegExp>> = {
  png: /^\x89PNG\r\n/,
  jpeg: /^\xff\xd8\xff/,
  webp: /^RIFF[\s\S]{4}WEBP/,
  "svg+xml": /<svg[\s>]/i,
};

/** A picture of the kind it says it is. As the source of an `img` nothing in it can run or load, SVG included. */
export function isLogo(url: string): boolean {
  const [, type = "", data = ""] = DATA_URL.exec(url) ?? [];
  const bytes = decode(data);
  return bytes !== undefined && (SIGNATURES[type]?.test(bytes) ?? false);
}

function decode(base64: string): string | undefined {
  try {
    return atob(base64);
  } catch {
    return undefined;
  }
}
