import { createServer } from "node:http";

/** The minimal `node:http` server: one constant answer. */
const answer = process.env["ANSWER"] ?? "";
const headers = {
  "content-type": "application/json",
  "content-length": Buffer.byteLength(answer),
  "cache-control": "no-store",
};

createServer((_req, res) => {
  res.writeHead(200, headers);
  res.end(answer);
}).listen(Number(process.env["PORT"]), "127.0.0.1");
