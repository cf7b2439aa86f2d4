import { z } from "zod";
import { defineQuery } from "../../db/define-query.ts";
import countPastSource from "./count-past.sql";
import listSchemaVersionsSource from "./list-schema-versions.sql";
import listTablesSource from "./list-tables.sql";
import setIdentitiesSource from "./set-identities.sql";

export const listTables = defineQuery({
  name: "list-tables",
  source: listTablesSource,
  params: [],
  row: z.object({ name: z.string().regex(/^[a-z_]+$/), pointsTo: z.array(z.string()) }),
});

export const listSchemaVersions = defineQuery({
  name: "list-schema-versions",
  source: listSchemaVersionsSource,
  params: [],
  row: z.object({ version: z.int(), sha256: z.string() }),
});

export const setIdentities = defineQuery({
  name: "set-identities",
  source: setIdentitiesSource,
  params: [],
  row: z.unknown(),
});

export const countPast = defineQuery({
  name: "count-past",
  source: countPastSource,
  params: [],
  row: z.object({ users: z.int(), entries: z.int() }),
});
