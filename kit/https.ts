import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { type IncomingMessage, request, type ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll } from "vitest";
import { temporaryFolder } from "./temporary-folder.ts";

/** Wraps the worker's entry so that every request came over https, as on Cloudflare, where the URL shows it. */
export async function entryOverHttps({
  entryFile,
  folder,
}: {
  readonly entryFile: string;
  readonly folder: string;
}): Promise<string> {
  const file = join(folder, "over-https.mjs");
  await writeFile(
    file,
    [
      `import worker from ${JSON.stringify(entryFile)};`,
      "const overHttps = (request) => new Request(request.url.replace(/^http:/, 'https:'), request);",
      "export default { ...worker, fetch: (request, ...rest) => worker.fetch(overHttps(request), ...rest) };",
    ].join("\n"),
  );
  return file;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A server with a self-signed certificate. Returns its port. */
export async function startHttpsServer(handler: Handler): Promise<number> {
  const folder = await temporaryFolder();
  const [keyFile, certFile] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const subject = ["-subj", "/CN=localhost", "-days", "1"];
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  await promisify(execFile)("openssl", ["req", "-x509", ...newKey, ...subject, "-keyout", keyFile, "-out", certFile]);
  const server: Server = createServer({ key: await readFile(keyFile), cert: await readFile(certFile) }, handler);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return (server.address() as AddressInfo).port;
}

/** Terminates TLS in front of a plain HTTP server, and forwards everything unchanged. */
export function startTlsProxy(target: { readonly port: number }): Promise<number> {
  return startHttpsServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const forwarded = request({ host: "127.0.0.1", port: target.port, method, path: url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(outgoing);
    });
    forwarded.on("error", () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
}
