/** Draws two strands that join into one. */
export function Logo({ size }: { readonly size: number }) {
  return (
    <svg class="logo" width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <path d="M4 9c10 0 14 14 24 14" class="strand-a" />
      <path d="M4 23c4.6 0 8-3 11-6.2M18.5 13.2C21.2 10.7 24 9 28 9" class="strand-b" />
    </svg>
  );
}
