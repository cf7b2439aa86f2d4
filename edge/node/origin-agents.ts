import { createOriginAgent, type OriginAgent } from "./origin-agent.ts";

/** The ways to the gate's origin and to the upstreams of single queues, which are opened when first asked for. */
export type OriginAgents = {
  readonly origin: OriginAgent;
  readonly to: (targetUrl: string) => OriginAgent;
  readonly close: () => void;
};

type AgentsOptions = { readonly site: string; readonly allowsPrivateTargets: boolean };

/** As many as there may be queues. */
const UPSTREAMS_MAX = 1_000;

export function createOriginAgents({ site, allowsPrivateTargets }: AgentsOptions): OriginAgents {
  const origin = createOriginAgent(site);
  const upstreams = new Map<string, OriginAgent>();
  return {
    origin,
    to(targetUrl) {
      const known = upstreams.get(targetUrl);
      if (known !== undefined) return known;
      const agent = createOriginAgent(targetUrl, { isPublicOnly: !allowsPrivateTargets });
      // Let go, not closed: requests may be under way, and idle connections end by themselves.
      if (upstreams.size >= UPSTREAMS_MAX) upstreams.clear();
      upstreams.set(targetUrl, agent);
      return agent;
    },
    close() {
      origin.close();
      for (const agent of upstreams.values()) agent.close();
    },
  };
}
