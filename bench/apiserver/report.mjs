/**
 * A result is `{name, value, unit, limit, atLeast?, detail}`: with `atLeast` the value must reach the limit,
 * otherwise it must not exceed it.
 */
export function isMissed({ value, limit, atLeast = false }) {
  return atLeast ? value < limit : value > limit
}

export function describeResult(result) {
  return `${isMissed(result) ? 'MISSED' : 'ok    '} ${result.name}: ${measured(result)} (${bound(result)}) ${result.detail}`
}

/** The results as a Markdown table. */
export function table(results) {
  const rows = results.map((result) => [
    result.name,
    measured(result),
    `${bound(result)}${isMissed(result) ? ', missed' : ''}`,
    result.detail,
  ])
  return [['measure', 'result', 'limit', 'detail'], ['---', '---:', '---:', '---'], ...rows]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n')
}

function measured({ value, unit }) {
  return unit === '×' ? `${value.toFixed(2)}${unit}` : `${value.toFixed(value < 100 ? 1 : 0)} ${unit}`
}

function bound({ limit, unit, atLeast = false }) {
  return `${atLeast ? '≥' : '≤'} ${limit}${unit === '×' ? '' : ' '}${unit}`
}
