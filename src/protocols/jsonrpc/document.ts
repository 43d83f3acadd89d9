/** The generated OpenRPC document, as far as a node changes it. */
export type OpenRpc = {
  info: { title: string; description?: string }
  servers?: object[]
  methods: readonly { name: string }[]
}

/** The document as the node at this address shows it. */
export function documentOf(document: OpenRpc, url: string): OpenRpc {
  return { ...document, servers: [{ name: 'This node', url, summary: 'WebSocket on the same address' }] }
}

/** The document of the parent chain: no rollup, and nobody is asked here to make its blocks or to stop. */
export function parentDocumentOf(document: OpenRpc): OpenRpc {
  return {
    ...document,
    info: {
      ...document.info,
      title: `${document.info.title}: parent chain`,
      description: 'JSON-RPC of the parent chain that the embedded rollup builds on, over HTTP POST and WebSocket.',
    },
    methods: document.methods.filter(({ name }) => !/^(rollup|optimism|admin)_/.test(name)),
  }
}
