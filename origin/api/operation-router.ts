import type { VenueOperation } from "./operation.ts";

/** Which operation a request is for, and what its path says. */
export type OperationRouter = (method: string, path: string) => RoutedOperation | undefined;

export type RoutedOperation = { readonly operation: VenueOperation; readonly params: Readonly<Record<string, string>> };

type Route = { readonly operation: VenueOperation; readonly segments: readonly Segment[] };
type Segment = { readonly text: string } | { readonly param: string };

const NO_PARAMS = {};
const PARAM = /^\{(\w+)\}$/;

/** The same table that Hono is given, without Hono: the first that fits, segment by segment. Paths are whole ones, below no prefix. */
export function createOperationRouter(operations: readonly VenueOperation[], prefix: string): OperationRouter {
  const plain = new Map<string, RoutedOperation>();
  const byShape = new Map<string, Route[]>();
  for (const operation of operations) {
    const path = prefix + operation.path;
    const method = operation.method.toUpperCase();
    const segments = path.split("/").map((text): Segment => {
      const param = PARAM.exec(text)?.[1];
      return param === undefined ? { text } : { param };
    });
    const shape = `${method} ${segments.length}`;
    byShape.set(shape, [...(byShape.get(shape) ?? []), { operation, segments }]);
  }
  // A path without parameters may be looked up at once where no earlier route with parameters would have taken it.
  for (const operation of operations) {
    const key = `${operation.method.toUpperCase()} ${prefix}${operation.path}`;
    const first = search(operation.method.toUpperCase(), prefix + operation.path);
    if (first !== undefined && !operation.path.includes("{")) plain.set(key, first);
  }

  function search(method: string, path: string): RoutedOperation | undefined {
    const parts = path.split("/");
    for (const route of byShape.get(`${method} ${parts.length}`) ?? []) {
      const params = paramsOf(route, parts);
      if (params !== undefined) return { operation: route.operation, params };
    }
    return undefined;
  }

  return (method, path) => plain.get(`${method} ${path}`) ?? search(method, path);
}

function paramsOf({ segments }: Route, parts: readonly string[]): Readonly<Record<string, string>> | undefined {
  let params: Record<string, string> | undefined;
  for (const [index, segment] of segments.entries()) {
    const part = decoded(parts[index] ?? "");
    if (part === undefined) return undefined;
    if ("param" in segment) {
      if (part === "") return undefined;
      params ??= {};
      params[segment.param] = part;
    } else if (segment.text !== part) return undefined;
  }
  return params ?? NO_PARAMS;
}

function decoded(part: string): string | undefined {
  if (!part.includes("%")) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
