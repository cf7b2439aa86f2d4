import { assert } from "../../shared/assert.ts";
import { bridgePart, edgePart, type Part, type PlanOptions, planStack } from "../../stack/plan-stack.ts";
import { freePort } from "../../stack/servers/free-port.ts";

/** The number of replicated parts. */
export type TargetSize = {
  readonly edges: number;
  /** The edges in workerd are spread over them. */
  readonly bridges: number;
};

export type TargetPlan = {
  readonly parts: readonly Part[];
  readonly urls: readonly [string, ...string[]];
  readonly lineUrl: string;
  readonly venueUrl: string;
};

/** The stack of `npm start` with further edges and bridges. */
export async function planTarget(options: PlanOptions, { edges, bridges }: TargetSize): Promise<TargetPlan> {
  const { parts, edgeUrl, lineUrl, bridgedUrl, venueUrl } = await planStack(options);
  assert(lineUrl !== undefined && bridgedUrl !== undefined, "a target has its own Redis for the line");
  const { settings } = options;
  const bridgePorts = [settings.SLUICE_BRIDGE_PORT];
  const moreBridges: Part[] = [];
  while (settings.SLUICE_EDGE === "worker" && bridgePorts.length < bridges) {
    const port = await freePort();
    bridgePorts.push(port);
    const name = `bridge-${bridgePorts.length}`;
    moreBridges.push(
      bridgePart({ ...options, settings: { ...settings, SLUICE_BRIDGE_PORT: port }, name, lineUrl: bridgedUrl }),
    );
  }
  const urls: [string, ...string[]] = [edgeUrl];
  const moreEdges: Part[] = [];
  while (urls.length < edges) {
    const port = await freePort();
    const bridgePort = bridgePorts[urls.length % bridgePorts.length] ?? settings.SLUICE_BRIDGE_PORT;
    const own = { ...settings, SLUICE_PORT: port, SLUICE_BRIDGE_PORT: bridgePort };
    moreEdges.push(edgePart({ ...options, settings: own, name: `edge-${urls.length + 1}`, lineUrl }));
    urls.push(`http://127.0.0.1:${port}`);
  }
  return { parts: [...parts.slice(0, -1), ...moreBridges, ...parts.slice(-1), ...moreEdges], urls, lineUrl, venueUrl };
}
