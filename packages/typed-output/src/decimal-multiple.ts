/** A decimal number as digits times a power of ten. */
interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

/**
 * True when a number is a whole multiple of another, both taken as the decimals that they are written as:
 * 19.99 is one of 0.01, which a division of floating-point numbers denies, and 1e17 is none of 3, which it affirms.
 */
export function isMultipleOf(value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  const [left, right] = [decimalOf(value), decimalOf(divisor)];
  const least = Math.min(left.exponent, right.exponent);
  const scaled = ({ digits, exponent }: Decimal): bigint => digits * 10n ** BigInt(exponent - least);
  return scaled(left) % scaled(right) === 0n;
}

function decimalOf(value: number): Decimal {
  const [mantissa = "0", power = "0"] = String(value).split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length };
}
