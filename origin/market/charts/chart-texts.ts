/** The few words of a chart image. */
export type ChartLanguage = "en" | "fa" | "ar";

type ChartTexts = {
  readonly locale: string;
  readonly direction: "ltr" | "rtl";
  readonly title: (pair: string, frame: string) => string;
  readonly close: string;
  readonly volume: string;
  readonly average: string;
  readonly empty: string;
};

export const CHART_TEXTS: Readonly<Record<ChartLanguage, ChartTexts>> = {
  en: {
    locale: "en-GB",
    direction: "ltr",
    title: (pair, frame) => `${pair} · ${frame}`,
    close: "Close",
    volume: "with volume",
    average: "Average",
    empty: "No trades",
  },
  fa: {
    locale: "fa-IR",
    direction: "rtl",
    title: (pair, frame) => `${pair} · ${frame}`,
    close: "قیمت پایانی",
    volume: "با حجم معاملات",
    average: "میانگین",
    empty: "بدون معامله",
  },
  ar: {
    locale: "ar-u-nu-latn",
    direction: "rtl",
    title: (pair, frame) => `${pair} · ${frame}`,
    close: "سعر الإغلاق",
    volume: "مع حجم التداول",
    average: "المتوسط",
    empty: "لا توجد صفقات",
  },
};
