import type { Language } from "../line/page/language.ts";
import { ar } from "./texts/ar.ts";
import { de } from "./texts/de.ts";
import { en } from "./texts/en.ts";
import { es } from "./texts/es.ts";
import { fa } from "./texts/fa.ts";
import { fr } from "./texts/fr.ts";
import { id } from "./texts/id.ts";
import { ja } from "./texts/ja.ts";
import { pt } from "./texts/pt.ts";
import type { RoomTexts } from "./texts/room-texts.ts";
import { zh } from "./texts/zh.ts";

/** A language without texts does not compile. */
export const textsOf: Readonly<Record<Language, RoomTexts>> = { en, id, fa, ar, zh, es, de, fr, ja, pt };
