/** The parts of the generated OpenRPC document that depend on the node. */
export type OpenRpc = {
  info: { title: string; description?: string }
  servers?: object[]
  methods: readonly { name: string }[]
}

/** The document of the node at this URL. */
export function documentOf(document: OpenRpc, url: string): OpenRpc {
  return { ...document, servers: [{ name: 'This node', url, summary: 'WebSocket on the same address' }] }
}

/** The document of the parent chain, which has no rollup methods and no sequencer methods. */
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
