/** An issued token as every protocol shows it. */
export function presentToken(issued: { accessToken: string; expiresAt: Date }) {
  return {
    access_token: issued.accessToken,
    token_type: 'bearer' as const,
    expires_at: issued.expiresAt.toISOString(),
  }
}
