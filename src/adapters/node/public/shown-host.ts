/** The last two labels of a host name: some providers put the caller's key before them. */
export function shownHost(host: string): string {
  return /^[\d.]+$|:/.test(host) ? host : host.split('.').slice(-2).join('.')
}
