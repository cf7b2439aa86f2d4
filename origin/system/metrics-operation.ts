import { z } from "zod";
import { adminOperation, type VenueOperation } from "../api/operation.ts";

/** `GET /metrics`: the lag of the permanent record, the result of its audit, and stalls of the process. */
export function metricsOperation(metrics: () => string): VenueOperation {
  return adminOperation({
    method: "get",
    path: "/metrics",
    id: "readMetrics",
    summary: "Metrics of the permanent record and this process, in the text format of Prometheus",
    limit: "admin",
    answers: { 200: { description: "One line per number.", schema: z.string(), mediaTypes: ["text/plain"] } },
    refusals: [],
    run: async () => metricsResponse(metrics()),
  });
}

export function metricsResponse(text: string): Response {
  return new Response(text, {
    headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8", "cache-control": "no-store" },
  });
}
