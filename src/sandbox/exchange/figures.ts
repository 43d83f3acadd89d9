import type { Tape } from './tape.ts'

const quantityDigits = 5

/** A price as the exchange writes it. */
export function priceText({ place }: Tape, price: number): string {
  return price.toFixed(place.priceDigits)
}

/** A quantity as the exchange writes it. */
export function quantityText(quantity: number): string {
  return quantity.toFixed(quantityDigits)
}
