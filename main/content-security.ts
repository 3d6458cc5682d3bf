/**
 * What the page may load and reach: its own files, and nothing else. No inline scripts, no plugins, no frames, no forms.
 * `socket` is the one other address, for a page that is served over HTTP.
 */
export function contentSecurityPolicy(socket?: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    `connect-src 'self'${socket === undefined ? '' : ` ${socket}`}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Headers of every answer, whatever its status. */
export function securityHeaders(socket?: string): Record<string, string> {
  return {
    'Content-Security-Policy': contentSecurityPolicy(socket),
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), microphone=(), geolocation=(), usb=(), serial=(), hid=()',
    'Cache-Control': 'no-cache',
  };
}
