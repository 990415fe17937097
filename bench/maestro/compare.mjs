// Results as ratios to the server in Go, measured in the same run.
import { median } from './load.mjs'

/**
 * Measures each server some times, one after the other, so that a busy machine disturbs all of them. Resolves with the
 * rates of each server.
 */
export async function inRounds(servers, rounds, measure) {
  const figures = Object.fromEntries(servers.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const one of servers) {
      const before = one.cpu()
      const figure = await measure(one, round)
      const after = one.cpu()
      const each = (part) => (after[part] - before[part]) / (figure.rate * figure.seconds)
      figures[one.name].push({ ...figure, serverCpu: each('server'), postgresCpu: each('postgres') })
    }
  }
  return figures
}

/** A result from rates: as a ratio, or against `times` the rate of Go on the machine of docs if Go is not measured. */
export function ratioOf(name, figures, { times, reference }) {
  const rates = (server) => (figures[server] ?? []).map(({ rate }) => rate)
  const describe = (server) => {
    const all = figures[server] ?? []
    const of = (key, digits) => median(all.map((figure) => figure[key])).toFixed(digits)
    return `${server} ${of('rate', 0)}/s, p99 ${of('p99', 0)} ms, CPU ${of('serverCpu', 2)} + PostgreSQL ${of('postgresCpu', 2)} ms each`
  }
  if (figures.orrery === undefined || figures.go === undefined) {
    const [only] = Object.keys(figures)
    return {
      name,
      value: median(rates(only)),
      unit: '/s',
      limit: times * reference,
      atLeast: true,
      detail: describe(only),
    }
  }
  const ratios = figures.orrery.map(({ rate }, round) => rate / figures.go[round].rate)
  const detail = `${describe('orrery')}; ${describe('go')}; rounds ${ratios.map((ratio) => ratio.toFixed(1)).join(', ')}`
  return { name: `${name}, against Go`, value: median(ratios), unit: '×', limit: times, atLeast: true, detail }
}

/** The figure of Orrery, or of the only server, with those of all servers as the detail. */
export function besideGo(figures, key, unit) {
  const first = figures.get('orrery') ?? figures.get('go')
  const detail = [...figures].map(([name, figure]) => `${name} ${figure[key].toFixed(1)} ${unit}`).join(', ')
  return { value: first[key], detail }
}
