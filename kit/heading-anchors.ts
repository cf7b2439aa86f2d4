/** The anchors that GitHub gives the headings of a Markdown page. */
export function headingAnchors(markdown: string): ReadonlySet<string> {
  const withoutCode = markdown.replaceAll(/^```[\s\S]*?^```/gm, "");
  const headings = [...withoutCode.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_\- ]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}
