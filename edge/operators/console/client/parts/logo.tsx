/** A sluice: two posts, a raised gate, and water. */
export function Logo() {
  return (
    <svg class="logo" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
      <path d="M4 3v18M20 3v18M4 6h16" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" />
      <rect x="7.5" y="8" width="9" height="6" rx="1" fill="currentColor" />
      <path
        d="M5 19c2-1.6 3.5-1.6 5.5 0s3.500 1.600 5.500 0 1.500-.8 3-.8"
        fill="none"
        stroke="currentColor"
        stroke-width="1.600"
        stroke-linecap="round"
      />
    </svg>
  );
}
