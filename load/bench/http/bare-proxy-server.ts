import { Agent, createServer, request } from "node:http";

/** The minimal reverse proxy on `node:http`: kept connections, headers and bodies as they come. */
const { hostname: host, port } = new URL(process.env["ORIGIN_URL"] ?? "");
const agent = new Agent({ keepAlive: true });

createServer((req, res) => {
  const asked = request({ host, port, agent, method: req.method, path: req.url, headers: req.headers }, (answer) => {
    res.writeHead(answer.statusCode ?? 0, answer.headers);
    answer.pipe(res);
  });
  asked.on("error", () => res.destroy());
  req.pipe(asked);
}).listen(Number(process.env["PORT"]), "127.0.0.1");
