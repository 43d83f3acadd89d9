export const mcpPath = '/mcp'

/** Where RFC 9728 puts what a protected resource says of itself. */
export const metadataPath = `/.well-known/oauth-protected-resource${mcpPath}`

/**
 * What RFC 9728 says of `/mcp`. It names no authorization server, for the gateway is none: a person starts the session of
 * an agent, and gives it the token.
 */
export function protectedResource(publicUrl: string) {
  return {
    resource: `${publicUrl}${mcpPath}`,
    resource_name: 'Trident',
    resource_documentation: `${publicUrl}/docs/guides/mcp`,
    bearer_methods_supported: ['header'],
  }
}
