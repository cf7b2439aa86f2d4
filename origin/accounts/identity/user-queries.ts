import { z } from "zod";
import { defineQuery } from "../../db/define-query.ts";
import changePasswordSource from "./change-password.sql";
import insertUserSource from "./insert-user.sql";
import listAllSource from "./list-all-users.sql";
import listChangedSource from "./list-changed-users.sql";
import listKnownSource from "./list-known-ids.sql";
import noteLoginsSource from "./note-logins.sql";
import { userRowSchema } from "./user.ts";

const row = userRowSchema;

export const insertUser = defineQuery({
  name: "insert-user",
  source: insertUserSource,
  params: ["id", "username", "email", "passwordHash", "role"],
  row,
});

export const changePasswordHash = defineQuery({
  name: "change-password",
  source: changePasswordSource,
  params: ["id", "hashBefore", "hashAfter"],
  row,
});

export const noteLogins = defineQuery({
  name: "note-logins",
  source: noteLoginsSource,
  params: ["ids", "timesMs"],
  row,
});

export const listAllUsers = defineQuery({
  name: "list-all-users",
  source: listAllSource,
  params: ["afterId", "limit"],
  row,
});

export const listChangedUsers = defineQuery({
  name: "list-changed-users",
  source: listChangedSource,
  params: ["sinceMs", "afterId", "limit"],
  row,
});

export const listKnownIds = defineQuery({
  name: "list-known-ids",
  source: listKnownSource,
  params: ["ids"],
  row: z.object({ id: z.string() }),
});
