import manifest from '../../../package.json' with { type: 'json' }

/** The version of the contract and of the gateway that serves it. */
export const { version } = manifest

/** How the gateway names itself to clients of the chain node. */
export const clientVersion = `Trident/${version}`
