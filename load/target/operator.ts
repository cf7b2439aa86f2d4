/** A client of the operator API. */
export type Operator = {
  readonly ask: (method: string, path: string, body?: unknown) => Promise<unknown>;
};

export type OperatorAccess = { readonly url: string; readonly adminToken: string };

const ANSWER_MS_MAX = 5_000;

export function createOperator({ url, adminToken }: OperatorAccess): Operator {
  return {
    async ask(method, path, body) {
      const response = await fetch(`${url}/_sluice/admin${path}`, {
        method,
        headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json" },
        signal: AbortSignal.timeout(ANSWER_MS_MAX),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok)
        throw new OperatorRefusal(`${method} ${path} was answered with ${response.status}: ${text}`, response.status);
      return text === "" ? undefined : JSON.parse(text);
    },
  };
}

export class OperatorRefusal extends Error {
  override readonly name = "OperatorRefusal";
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}
