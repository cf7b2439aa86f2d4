import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startChild } from "../stack/servers/child.ts";
import { findProgram } from "../stack/servers/find-program.ts";
import { freePort } from "../stack/servers/free-port.ts";
import { NGINX_PROGRAMS } from "./programs.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export type Nginx = { readonly port: number; readonly stop: () => Promise<void> };

const EXAMPLE = fileURLToPath(new URL("../deploy/proxies/nginx.conf", import.meta.url));

/**
 * A real nginx with the example of `deploy/proxies/nginx.conf` and a self-signed certificate, in front of the given
 * gate.
 */
export async function startNginx({ gatePort }: { readonly gatePort: number }): Promise<Nginx> {
  const program = findProgram(...NGINX_PROGRAMS);
  if (program === undefined) throw new Error("nginx is not on the PATH.");
  const folder = await temporaryFolder();
  await mkdir(join(folder, "logs"));
  const { key, certificate } = await selfSigned(folder);
  const port = await freePort();
  const example = (await readFile(EXAMPLE, "utf8"))
    .replace("listen 443 ssl", `listen 127.0.0.1:${port} ssl`)
    .replace("127.0.0.1:8787", `127.0.0.1:${gatePort}`)
    .replace("/etc/ssl/certs/shop.test.pem", certificate)
    .replace("/etc/ssl/private/shop.test.key", key);
  const configFile = join(folder, "nginx.conf");
  await writeFile(
    configFile,
    `${surroundings(folder)}http {\n  access_log off;\n${temporaryPaths(folder)}${example}}\n`,
  );
  const child = startChild({
    name: "nginx",
    command: program,
    args: ["-p", folder, "-c", configFile, "-e", join(folder, "error.log")],
    environment: {},
  });
  await Promise.race([
    answers(port),
    child.exited.then(() => Promise.reject(new Error(`nginx did not start; see ${folder}/error.log`))),
  ]);
  return { port, stop: child.stop };
}

/** One process in the foreground, which ends with the test. */
function surroundings(folder: string): string {
  return `daemon off;\nmaster_process off;\npid ${join(folder, "nginx.pid")};\nerror_log ${join(folder, "error.log")};\nevents { worker_connections 256; }\n`;
}

function temporaryPaths(folder: string): string {
  return ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `  ${name}_temp_path ${join(folder, name)};\n`)
    .join("");
}

async function selfSigned(folder: string): Promise<{ readonly key: string; readonly certificate: string }> {
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const names = "subjectAltName=DNS:shop.test,DNS:localhost,IP:127.0.0.1";
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const files = ["-keyout", key, "-out", certificate];
  await promisify(execFile)("openssl", [
    "req",
    "-x509",
    ...curve,
    ...files,
    "-days",
    "2",
    "-subj",
    "/CN=shop.test",
    "-addext",
    names,
  ]);
  return { key, certificate };
}

const TRIES_MAX = 200;
const TRY_AFTER_MS = 25;

async function answers(port: number): Promise<void> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => {
        socket.destroy();
        resolve(true);
      });
      socket.on("error", () => resolve(false));
    });
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, TRY_AFTER_MS));
  }
  throw new Error("nginx does not listen");
}
