/**
 * Headers and Response as far as the app uses them, without the streams and checks of the platform's own: those cost
 * more than everything else about a small answer. `usePlainResponses` puts them in place of the globals, so that the
 * app is written for web standards only. A body that is not text is left to the platform's Response.
 */
export class PlainHeaders {
  readonly #values: Map<string, string>;
  /** The one header whose values are never joined. */
  #cookies: string[] | undefined;

  constructor(init?: PlainHeaders | HeaderPairs) {
    this.#values = new Map(init instanceof PlainHeaders ? init.#values : undefined);
    if (init instanceof PlainHeaders) this.#cookies = init.#cookies && [...init.#cookies];
    else if (init !== undefined) for (const [name = "", value = ""] of pairsOf(init)) this.append(name, value);
  }

  append(name: string, value: string): void {
    const key = name.toLowerCase();
    if (key === SET_COOKIE) {
      this.#cookies ??= [];
      this.#cookies.push(value);
      return;
    }
    const known = this.#values.get(key);
    this.#values.set(key, known === undefined ? value : `${known}, ${value}`);
  }

  set(name: string, value: string): void {
    const key = name.toLowerCase();
    if (key === SET_COOKIE) this.#cookies = [value];
    else this.#values.set(key, value);
  }

  get(name: string): string | null {
    const key = name.toLowerCase();
    if (key === SET_COOKIE) return this.#cookies?.join(", ") ?? null;
    return this.#values.get(key) ?? null;
  }

  has(name: string): boolean {
    const key = name.toLowerCase();
    return key === SET_COOKIE ? this.#cookies !== undefined : this.#values.has(key);
  }

  delete(name: string): void {
    const key = name.toLowerCase();
    if (key === SET_COOKIE) this.#cookies = undefined;
    else this.#values.delete(key);
  }

  getSetCookie(): string[] {
    return [...(this.#cookies ?? [])];
  }

  forEach(visit: (value: string, name: string, headers: PlainHeaders) => void): void {
    for (const [name, value] of this) visit(value, name, this);
  }

  keys(): MapIterator<string> | string[] {
    return this.#cookies === undefined ? this.#values.keys() : [...this.#values.keys(), SET_COOKIE];
  }

  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.entries();
  }

  entries(): IterableIterator<[string, string]> {
    if (this.#cookies === undefined) return this.#values.entries();
    const cookies = this.#cookies.map((value): [string, string] => [SET_COOKIE, value]);
    return [...this.#values, ...cookies].values();
  }

  /** The app uses nothing else of Headers. */
  asHeaders(): Headers {
    return this as unknown as Headers;
  }

  /** For node:http: name and value in turn. */
  toRaw(): string[] {
    const raw: string[] = [];
    for (const [name, value] of this.#values) raw.push(name, value);
    for (const value of this.#cookies ?? []) raw.push(SET_COOKIE, value);
    return raw;
  }
}

const SET_COOKIE = "set-cookie";

type HeaderPairs = Iterable<readonly string[]> | Readonly<Record<string, string>>;

function pairsOf(init: HeaderPairs): Iterable<readonly string[]> {
  return Symbol.iterator in init ? (init as Iterable<readonly string[]>) : Object.entries(init);
}

const PlatformResponse = globalThis.Response;
const STATUS_SUCCESS_MIN = 200;
const STATUS_SUCCESS_MAX = 299;

type Body = ConstructorParameters<typeof Response>[0] | null;

type Init = {
  readonly status?: number;
  readonly statusText?: string;
  readonly headers?: PlainHeaders | HeaderPairs;
};

export class PlainResponse {
  readonly status: number;
  readonly statusText: string;
  readonly headers: PlainHeaders;
  /** The whole body, where it is text; undefined for any other one. */
  readonly wholeText: string | undefined;
  readonly #given: Body;
  #platform: Response | undefined;

  constructor(body: Body = null, { status = STATUS_SUCCESS_MIN, statusText = "", headers }: Init = {}) {
    this.status = status;
    this.statusText = statusText;
    this.headers = new PlainHeaders(headers);
    this.wholeText = typeof body === "string" ? body : undefined;
    this.#given = body;
    if (this.wholeText !== undefined && !this.headers.has("content-type"))
      this.headers.set("content-type", "text/plain;charset=UTF-8");
  }

  static json(value: unknown, init: Init = {}): PlainResponse {
    const response = new PlainResponse(JSON.stringify(value), init);
    if (new PlainHeaders(init.headers).has("content-type")) return response;
    response.headers.set("content-type", "application/json");
    return response;
  }

  get ok(): boolean {
    return this.status >= STATUS_SUCCESS_MIN && this.status <= STATUS_SUCCESS_MAX;
  }

  get body(): ReadableStream<Uint8Array> | null {
    return this.#given === null ? null : this.#asPlatform().body;
  }

  async text(): Promise<string> {
    return this.wholeText ?? this.#asPlatform().text();
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }

  arrayBuffer(): Promise<ArrayBuffer> {
    return this.#asPlatform().arrayBuffer();
  }

  /** The app uses nothing else of a Response. */
  asResponse(): Response {
    return this as unknown as Response;
  }

  #asPlatform(): Response {
    this.#platform ??= new PlatformResponse(this.#given);
    return this.#platform;
  }
}

/** For this process, before its first request. */
export function usePlainResponses(): void {
  Object.assign(globalThis, { Headers: PlainHeaders, Response: PlainResponse });
}
