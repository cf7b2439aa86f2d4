import { buildFaces } from "./build-faces.ts";

/** `npm run build`: for those who run the edge by other means than ours (wrangler, a process manager). */
const built = await buildFaces();
process.stdout.write(built.length === 0 ? "Nothing to build\n" : `Built ${built.join(", ")}\n`);
