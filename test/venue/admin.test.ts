import { Readable } from "node:stream";
import { beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../kit/temporary-folder.ts";
import { openDatabase } from "../../origin/db/open-database.ts";
import { startControlServer } from "../../origin/operators/control-server.ts";
import { createAdmin } from "../../origin/operators/create-admin.ts";
import { systemRandom } from "../../shared/ids.ts";
import { createLogger } from "../../stack/program/log.ts";
import { DATABASES_TESTED, passwordOf, START_MS_MAX, startVenue, type TestVenue } from "./venue.ts";

describe.each(DATABASES_TESTED)("on the %s database", (kind) => {
  let venue: TestVenue;
  let admin: string;
  let adminId: string;

  beforeAll(async () => {
    venue = await startVenue(kind);
    const control = await startControlServer(venue.folder, venue, createLogger("test", { write: () => {} }));
    expect(
      await command(["--username", "root_1", "--email", "root@example.test", "--password-stdin"], passwordOf("root_1")),
    ).toMatchObject({
      code: 0,
    });
    await control.stop();
    const { body } = await venue.login("root_1");
    admin = body.accessToken ?? "";
    adminId = idOf(body);
  }, START_MS_MAX);

  const idOf = (body: Readonly<Record<string, unknown>>) => (body["user"] as { id: string }).id;
  const asAdmin = (method: string, path: string, json?: unknown) =>
    venue.call(method, path, { token: admin, ...(json === undefined ? {} : { json }) });

  async function command(
    args: readonly string[],
    password = "",
    environment: NodeJS.ProcessEnv = { SLUICE_DATA_DIR: venue.folder },
  ) {
    const said: string[] = [];
    const surroundings = {
      environment,
      stdin: Readable.from([`${password}\n`]),
      random: systemRandom,
      nowMs: Date.now(),
    };
    const complain = (sentence: string, exitCode = 2) => {
      said.push(sentence);
      return exitCode;
    };
    const code = await createAdmin(["create", ...args], { ...surroundings, say: (line) => said.push(line), complain });
    return { code, said: said.join("\n") };
  }

  /** On the venue's own server, in another process. */
  async function newDatabase(name: string): Promise<string> {
    await venue.database.query(`CREATE DATABASE ${name}`, []);
    return venue.postgres.url.replace(/\w+$/, name);
  }

  describe("npm run sluice -- admin create", () => {
    it("creates an admin in a running venue, with an entry in the audit log", async () => {
      expect((await venue.call("GET", "/me", { token: admin })).body["role"]).toBe("admin");
      expect((await asAdmin("GET", `/admin/audit?target=${adminId}`)).body["entries"]).toMatchObject([
        { actor: "command line", action: "user.created", after: { username: "root_1", role: "admin" } },
      ]);
    });

    it(
      "makes one in the database of a venue that is stopped, and shows a password of its own once",
      async () => {
        const folder = await temporaryFolder();
        const url = kind === "server" ? await newDatabase("stopped") : undefined;
        const environment = { SLUICE_DATA_DIR: folder, ...(url === undefined ? {} : { DATABASE_URL: url }) };
        const made = await command(["--username", "root_2", "--email", "root2@example.test"], "", environment);
        expect(made.code).toBe(0);
        expect(made.said).toMatch(/shown only once: [\w-]{43}$/);
        const again = await command(["--username", "root_2", "--email", "x@example.test"], "", environment);
        expect(again).toEqual({ code: 1, said: "Not created: the username or the e-mail address is already in use." });
        const database = await openDatabase({ url, folder: `${folder}/postgres` });
        expect(await database.query("SELECT username, role FROM users", [])).toEqual([
          { username: "root_2", role: "admin" },
        ]);
        await database.close();
      },
      START_MS_MAX,
    );

    it("names the fault of its arguments", async () => {
      const weak = await command(
        ["--username", "root_3", "--email", "root3@example.test", "--password-stdin"],
        "password",
        {
          SLUICE_DATA_DIR: await temporaryFolder(),
        },
      );
      expect(weak).toMatchObject({
        code: 1,
        said: expect.stringContaining("password must have at least 12 characters"),
      });
      expect((await command(["--username", "root_3"])).code).toBe(2);
      expect(await command(["--colour", "red"])).toEqual({
        code: 2,
        said: "Unknown option '--colour'; --help lists the options.",
      });
    });
  });

  describe("accounts", () => {
    it("are listed in pages, the newest first, and found by the beginning of a name or an address", async () => {
      for (const name of ["page_a", "page_b", "page_c", "pagexd"]) await venue.register(name);
      const names = (body: Readonly<Record<string, unknown>>) =>
        (body["users"] as { username: string }[]).map(({ username }) => username);
      const first = (await asAdmin("GET", "/admin/users?limit=3")).body;
      expect(names(first)).toEqual(["pagexd", "page_c", "page_b"]);
      const second = (await asAdmin("GET", `/admin/users?limit=3&cursor=${String(first["nextCursor"])}`)).body;
      expect([names(second), second["nextCursor"]]).toEqual([["page_a", "root_1"], null]);
      expect(names((await asAdmin("GET", "/admin/users?search=PAGE_")).body)).toEqual(["page_c", "page_b", "page_a"]);
      expect(names((await asAdmin("GET", "/admin/users?search=page_a@ex")).body)).toEqual(["page_a"]);
      expect(names((await asAdmin("GET", "/admin/users?search=%25")).body)).toEqual([]);
      expect(names((await asAdmin("GET", "/admin/users?role=admin")).body)).toEqual(["root_1"]);
      expect(JSON.stringify(first)).not.toMatch(/hash|argon/i);
      for (const wrong of ["limit=0", "limit=101", "limit=1e1", "cursor=x", "role=root", "colour=red"]) {
        expect((await asAdmin("GET", `/admin/users?${wrong}`)).status, wrong).toBe(422);
      }
    });

    it("are suspended immediately, and can be activated again", async () => {
      const { body } = await venue.register("susi");
      const path = `/admin/users/${idOf(body)}`;
      const suspended = await asAdmin("PATCH", path, { status: "suspended" });
      expect([suspended.status, suspended.body["status"]]).toEqual([200, "suspended"]);
      expect((await venue.call("GET", "/me", { token: body.accessToken })).status).toBe(401);
      expect((await venue.login("susi")).body.code).toBe("account_suspended");
      await asAdmin("PATCH", path, { status: "active" });
      expect((await venue.call("GET", "/me", { token: body.accessToken })).status).toBe(401);
      expect((await venue.login("susi")).status).toBe(200);
      const { entries } = (await asAdmin("GET", `/admin/audit?target=${idOf(body)}`)).body as { entries: unknown[] };
      expect(entries).toMatchObject([
        { actor: "root_1", action: "user.changed", before: { status: "suspended" }, after: { status: "active" } },
        { actor: "root_1", action: "user.changed", before: { status: "active" }, after: { status: "suspended" } },
      ]);
    });

    it("gain and lose a role with the next request", async () => {
      const { body } = await venue.register("tina");
      const token = body.accessToken;
      const path = `/admin/users/${idOf(body)}`;
      expect((await venue.call("GET", "/admin/users", { token })).status).toBe(403);
      await asAdmin("PATCH", path, { role: "admin" });
      expect((await venue.call("GET", "/admin/users", { token })).status).toBe(200);
      await asAdmin("PATCH", path, { role: "user" });
      expect((await venue.call("GET", "/admin/users", { token })).status).toBe(403);
    });

    it("have their sessions ended by an admin", async () => {
      const { body } = await venue.register("ulla");
      expect((await asAdmin("DELETE", `/admin/users/${idOf(body)}/sessions`)).status).toBe(204);
      expect((await venue.call("GET", "/me", { token: body.accessToken })).status).toBe(401);
      const nobody = "01890000-0000-7000-8000-000000000009";
      for (const [method, path] of [
        ["DELETE", `/admin/users/${nobody}/sessions`],
        ["GET", `/admin/users/${nobody}`],
      ] as const) {
        expect((await asAdmin(method, path)).body.code).toBe("user_not_found");
      }
      expect((await asAdmin("PATCH", `/admin/users/${nobody}`, { role: "user" })).body.code).toBe("user_not_found");
      expect((await asAdmin("PATCH", `/admin/users/${idOf(body)}`, {})).status).toBe(422);
    });

    it("always keep one admin, also when two demote each other at the same time", async () => {
      expect((await asAdmin("PATCH", `/admin/users/${adminId}`, { role: "user" })).body.code).toBe("last_admin");
      expect((await asAdmin("PATCH", `/admin/users/${adminId}`, { status: "inactive" })).body.code).toBe("last_admin");
      const { body } = await venue.register("vera");
      await asAdmin("PATCH", `/admin/users/${idOf(body)}`, { role: "admin" });
      const answers = await Promise.all([
        asAdmin("PATCH", `/admin/users/${idOf(body)}`, { role: "user" }),
        venue.call("PATCH", `/admin/users/${adminId}`, { token: body.accessToken, json: { role: "user" } }),
      ]);
      const [done, refused] = answers.map(({ status }) => status).toSorted();
      // The second demotion is refused: either its sender is no longer an admin, or the last admin would go.
      expect([done, refused === 403 || refused === 409]).toEqual([200, true]);
      expect(await venue.database.query("SELECT count(*)::int AS left FROM users WHERE role = 'admin'", [])).toEqual([
        { left: 1 },
      ]);
      await venue.database.query("UPDATE users SET role = 'admin' WHERE id = $1", [adminId]);
      await expect.poll(() => venue.redis.hget(`user:${adminId}`, "role")).toBe("admin");
    });
  });

  describe("the audit log", () => {
    it("only grows: PostgreSQL refuses every change", async () => {
      for (const statement of [
        "UPDATE audit_log SET actor = 'x'",
        "DELETE FROM audit_log",
        "TRUNCATE audit_log CASCADE",
      ]) {
        await expect(venue.database.query(statement, [])).rejects.toThrow("only grows");
      }
    });

    it("is read in pages", async () => {
      const first = (await asAdmin("GET", "/admin/audit?limit=2")).body as {
        entries: { id: number }[];
        nextCursor: string;
      };
      const second = (await asAdmin("GET", `/admin/audit?limit=2&cursor=${first.nextCursor}`)).body as {
        entries: { id: number }[];
      };
      const ids = [...first.entries, ...second.entries].map(({ id }) => id);
      expect(ids).toEqual(ids.toSorted((a, b) => b - a));
      expect(new Set(ids).size).toBe(4);
    });
  });

  describe("maintenance", () => {
    const settings = { maintenanceMode: false, maintenanceMessage: "", maxOpenOrders: 50, minVolumeFilter: "10000000" };

    it("answers 503 with its message to all users but admins, in every process within a second, and ends", async () => {
      const { body } = await venue.register("wanda");
      const other = await venue.again();
      expect((await asAdmin("GET", "/admin/system")).body).toEqual(settings);
      const on = { ...settings, maintenanceMode: true, maintenanceMessage: "Back at noon.", minVolumeFilter: "0.5" };
      expect((await asAdmin("PUT", "/admin/system", on)).body).toEqual(on);
      expect(await venue.redis.hgetall("config:system")).toMatchObject({
        maintenance_mode: "true",
        max_open_orders: "50",
        min_volume_filter: "0.5",
      });

      const seen = async (from: TestVenue) => (await from.call("GET", "/me", { token: body.accessToken })).body;
      expect(await seen(venue)).toMatchObject({ code: "venue_maintenance", detail: "Back at noon." });
      await expect.poll(async () => (await seen(other)).code).toBe("venue_maintenance");
      expect((await venue.login("wanda")).body.code).toBe("venue_maintenance");
      expect((await venue.call("POST", "/auth/refresh", { json: { refreshToken: body.refreshToken } })).body.code).toBe(
        "venue_maintenance",
      );
      expect((await venue.register("xenia")).body.code).toBe("venue_maintenance");
      expect((await venue.login("root_1")).status).toBe(200);

      await asAdmin("PUT", "/admin/system", settings);
      await expect.poll(async () => (await seen(other))["username"]).toBe("wanda");
      expect((await venue.call("POST", "/auth/refresh", { json: { refreshToken: body.refreshToken } })).status).toBe(
        200,
      );
      expect((await asAdmin("GET", "/admin/audit?target=system&limit=1")).body["entries"]).toMatchObject([
        { action: "system.changed", before: { maintenanceMode: true }, after: { maintenanceMode: false } },
      ]);
    });

    it.each([
      [{ maxOpenOrders: 0 }, "maxOpenOrders"],
      [{ maxOpenOrders: "50" }, "maxOpenOrders"],
      [{ maxOpenOrders: 1.5 }, "maxOpenOrders"],
      [{ minVolumeFilter: "1e3" }, "minVolumeFilter"],
      [{ minVolumeFilter: "-1" }, "minVolumeFilter"],
      [{ minVolumeFilter: "0.123456789" }, "minVolumeFilter"],
      [{ minVolumeFilter: "٣" }, "minVolumeFilter"],
      [{ maintenanceMode: "true" }, "maintenanceMode"],
      [{ maintenanceMessage: "x".repeat(501) }, "maintenanceMessage"],
      [{ colour: 1 }, "colour"],
    ])("refuses %j", async (wrong, field) => {
      const { status, body } = await asAdmin("PUT", "/admin/system", { ...settings, ...wrong });
      expect([status, (body["errors"] as { field: string }[])[0]?.field]).toEqual([422, field]);
    });

    it("does not begin because of an invalid value in Redis", async () => {
      await venue.redis.hset("config:system", "max_open_orders", "many", "maintenance_mode", "perhaps");
      expect((await asAdmin("GET", "/me")).status).toBe(200);
      await venue.redis.del("config:system");
      await expect.poll(() => venue.redis.hget("config:system", "maintenance_mode")).toBe("false");
    });
  });
});
