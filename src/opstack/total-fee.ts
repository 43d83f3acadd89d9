/** Wei that a transaction paid: its gas, and the parent chain's fee where the rollup's receipt reports one. */
export function totalFee(receipt: { gasUsed: bigint; effectiveGasPrice: bigint }, wire: unknown): bigint {
  const { l1Fee } = wire as { l1Fee?: unknown }
  const parentFee = typeof l1Fee === 'string' && /^0x[0-9a-f]+$/i.test(l1Fee) ? BigInt(l1Fee) : 0n
  return receipt.gasUsed * receipt.effectiveGasPrice + parentFee
}
