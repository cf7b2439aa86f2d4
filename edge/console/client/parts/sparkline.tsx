/** The last minutes at a glance. The number beside it says where it stands. */
export function Sparkline({ values }: { readonly values: readonly number[] }) {
  if (values.length < 2) return <svg class="spark" aria-hidden="true" />;
  const [width, height] = [100, 28];
  const top = Math.max(1, ...values);
  const points = values.map((value, index) => `${(index / (values.length - 1)) * width},${height - 1 - (value / top) * (height - 3)}`);
  return (
    <svg class="spark" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      <polygon points={`0,${height} ${points.join(" ")} ${width},${height}`} />
      <polyline points={points.join(" ")} />
    </svg>
  );
}
