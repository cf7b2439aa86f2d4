type MeterProps = { readonly value: number; readonly max: number; readonly warnsWhenFull?: boolean };

/** A bar beside a number that says the same, so it is hidden from screen readers. */
export function Meter({ value, max, warnsWhenFull = false }: MeterProps) {
  const share = max > 0 ? Math.min(1, value / max) : 0;
  return (
    <div class="meter" data-full={warnsWhenFull && share >= 1 ? "" : undefined} aria-hidden="true">
      <div style={{ width: `${(share * 100).toFixed(1)}%` }} />
    </div>
  );
}
