import { etagOf } from "./etag.ts";
import { defineOperation } from "./operation.ts";
import { routeTableSchema } from "./route-schemas.ts";

export const readRoutes = defineOperation({
  method: "get",
  path: "/admin/routes",
  id: "readRoutes",
  summary: "Which addresses lead to which queue, and who goes past them all",
  answers: { 200: { description: "The whole table.", schema: routeTableSchema, headers: { etag: "The version of the table." } } },
  refusals: [],
  async run({ routeTable, answer }) {
    const { routes, bypass, version } = await routeTable.read();
    return answer(200, { routes, bypass }, { etag: etagOf(version) });
  },
});
