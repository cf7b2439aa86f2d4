import type { ItemType, NewItem } from "./item.ts";

type Row = readonly [
  code: string,
  type: ItemType,
  fa: string,
  en: string,
  ar: string,
  unit: "rial" | "usd",
  demoPrice: string,
];

const CATEGORIES: Readonly<Record<ItemType, string>> = {
  currency: "ارز آزاد",
  gold: "طلا و نقره",
  coin: "سکه",
  crypto: "رمزارز",
};

/** Cryptocurrencies move more in an hour than a currency in a month. */
const JUMP_PERCENT: Readonly<Record<ItemType, number>> = { currency: 15, gold: 15, coin: 20, crypto: 40 };

/** The items of a first start, all with the demo's prices until an admin chooses a provider. */
export const FIRST_ITEMS: readonly NewItem[] = makeFirstItems();

/** About what each cost in the autumn of 2025, for the demo: in the item's unit. */
export const DEMO_PRICES: Readonly<Record<string, string>> = Object.fromEntries(
  rows().map(([code, , , , , , demoPrice]) => [code, demoPrice]),
);

function makeFirstItems(): readonly NewItem[] {
  return rows().map(([itemCode, itemType, fa, en, ar, unit, demoPrice], index) => ({
    itemCode,
    itemType,
    displayName: { fa, en, ar },
    enabled: true,
    provider: "demo",
    unit,
    decimals: unit === "rial" ? 0 : decimalsFor(demoPrice),
    jumpPercentMax: JUMP_PERCENT[itemType],
    metadata: {
      multiplier: "1",
      category: CATEGORIES[itemType],
      icon: itemCode.replace(/_(?:sell|buy|rial)$/, "").replaceAll("_", "-"),
      sortOrder: (index + 1) * 10,
      originalKey: null,
    },
  }));
}

/** A price below a dollar needs more decimals to move at all. */
function decimalsFor(price: string): number {
  return Number(price) < 10 ? 4 : 2;
}

function rows(): readonly Row[] {
  return [
    ["usd_sell", "currency", "دلار آمریکا (فروش)", "US Dollar (Sell)", "الدولار الأمريكي (بيع)", "rial", "1135200"],
    ["usd_buy", "currency", "دلار آمریکا (خرید)", "US Dollar (Buy)", "الدولار الأمريكي (شراء)", "rial", "1129800"],
    ["eur_sell", "currency", "یورو (فروش)", "Euro (Sell)", "اليورو (بيع)", "rial", "1314500"],
    ["eur_buy", "currency", "یورو (خرید)", "Euro (Buy)", "اليورو (شراء)", "rial", "1307900"],
    [
      "gbp_sell",
      "currency",
      "پوند انگلیس (فروش)",
      "British Pound (Sell)",
      "الجنيه الإسترليني (بيع)",
      "rial",
      "1489300",
    ],
    ["gbp_buy", "currency", "پوند انگلیس (خرید)", "British Pound (Buy)", "الجنيه الإسترليني (شراء)", "rial", "1481700"],
    ["aed_sell", "currency", "درهم امارات (فروش)", "UAE Dirham (Sell)", "الدرهم الإماراتي (بيع)", "rial", "309100"],
    ["aed_buy", "currency", "درهم امارات (خرید)", "UAE Dirham (Buy)", "الدرهم الإماراتي (شراء)", "rial", "307600"],
    ["try_sell", "currency", "لیر ترکیه (فروش)", "Turkish Lira (Sell)", "الليرة التركية (بيع)", "rial", "26850"],
    ["try_buy", "currency", "لیر ترکیه (خرید)", "Turkish Lira (Buy)", "الليرة التركية (شراء)", "rial", "26620"],
    ["chf_sell", "currency", "فرانک سوئیس", "Swiss Franc", "الفرنك السويسري", "rial", "1409800"],
    ["cad_sell", "currency", "دلار کانادا", "Canadian Dollar", "الدولار الكندي", "rial", "808700"],
    ["aud_sell", "currency", "دلار استرالیا", "Australian Dollar", "الدولار الأسترالي", "rial", "737400"],
    ["cny_sell", "currency", "یوان چین", "Chinese Yuan", "اليوان الصيني", "rial", "159600"],
    ["jpy_sell", "currency", "۱۰۰ ین ژاپن", "100 Japanese Yen", "100 ين ياباني", "rial", "731900"],
    ["sar_sell", "currency", "ریال عربستان", "Saudi Riyal", "الريال السعودي", "rial", "302700"],
    ["kwd_sell", "currency", "دینار کویت", "Kuwaiti Dinar", "الدينار الكويتي", "rial", "3697000"],
    ["iqd_sell", "currency", "۱۰۰ دینار عراق", "100 Iraqi Dinars", "100 دينار عراقي", "rial", "86600"],
    ["rub_sell", "currency", "روبل روسیه", "Russian Ruble", "الروبل الروسي", "rial", "14050"],
    ["inr_sell", "currency", "روپیه هند", "Indian Rupee", "الروبية الهندية", "rial", "12780"],
    ["gold_18k", "gold", "طلای ۱۸ عیار (گرم)", "Gold 18k (Gram)", "ذهب عيار 18 (غرام)", "rial", "112400000"],
    ["gold_24k", "gold", "طلای ۲۴ عیار (گرم)", "Gold 24k (Gram)", "ذهب عيار 24 (غرام)", "rial", "149860000"],
    ["gold_mesghal", "gold", "مثقال طلا", "Gold Mesghal", "مثقال الذهب", "rial", "486900000"],
    ["gold_ounce", "gold", "انس جهانی طلا", "Gold Ounce", "أونصة الذهب", "usd", "4078.40"],
    ["silver_gram", "gold", "نقره ۹۹۹ (گرم)", "Silver 999 (Gram)", "فضة 999 (غرام)", "rial", "1862000"],
    ["silver_ounce", "gold", "انس جهانی نقره", "Silver Ounce", "أونصة الفضة", "usd", "50.85"],
    ["coin_emami", "coin", "سکه امامی", "Emami Coin", "مسكوكة إمامي", "rial", "1172500000"],
    ["coin_bahar", "coin", "سکه بهار آزادی", "Bahar Azadi Coin", "مسكوكة بهار آزادي", "rial", "1118000000"],
    ["coin_half", "coin", "نیم سکه", "Half Coin", "نصف مسكوكة", "rial", "619000000"],
    ["coin_quarter", "coin", "ربع سکه", "Quarter Coin", "ربع مسكوكة", "rial", "361500000"],
    ["coin_gram", "coin", "سکه گرمی", "One-Gram Coin", "مسكوكة غرام واحد", "rial", "169000000"],
    ["btc", "crypto", "بیت‌کوین", "Bitcoin", "بيتكوين", "usd", "91850.00"],
    ["eth", "crypto", "اتریوم", "Ethereum", "إيثريوم", "usd", "3025.40"],
    ["bnb", "crypto", "بایننس کوین", "BNB", "بي إن بي", "usd", "902.10"],
    ["sol", "crypto", "سولانا", "Solana", "سولانا", "usd", "137.60"],
    ["xrp", "crypto", "ریپل", "XRP", "ريبل", "usd", "2.1245"],
    ["ada", "crypto", "کاردانو", "Cardano", "كاردانو", "usd", "0.4672"],
    ["doge", "crypto", "دوج‌کوین", "Dogecoin", "دوجكوين", "usd", "0.1574"],
    ["trx", "crypto", "ترون", "TRON", "ترون", "usd", "0.2891"],
    ["ton", "crypto", "تون‌کوین", "Toncoin", "تون كوين", "usd", "1.7420"],
    ["btc_rial", "crypto", "بیت‌کوین (ریال)", "Bitcoin (Rial)", "بيتكوين (ريال)", "rial", "104280000000"],
    ["usdt_rial", "crypto", "تتر (ریال)", "Tether (Rial)", "تيثر (ريال)", "rial", "1137900"],
  ];
}
