// The baseline: the least that a durable HTTPS program in Node can do. It stores posted data in LMDB, responds when
// it is flushed, and returns it on request. Nothing is parsed, checked, indexed or cached.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { open } from 'lmdb'

const { BENCH_DATA, BENCH_PKI, BENCH_PORT } = process.env

const database = open({
  path: BENCH_DATA,
  encoding: 'binary',
  keyEncoding: 'uint32',
  overlappingSync: false,
  eventTurnBatching: false,
  mapSize: 16 * 2 ** 30,
})
let last = 0
let waiting = []
let busy = false

/** One commit at a time: writes that arrive meanwhile share the next. */
async function commit() {
  if (busy || waiting.length === 0) return
  busy = true
  const group = waiting
  waiting = []
  await database.batch(() => {
    for (const { body } of group) void database.put(++last, body)
  })
  busy = false
  void commit()
  for (const { body, response } of group) reply(response, 201, body)
}

function reply(response, status, body) {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': body.length })
  response.end(body)
}

const file = (name) => readFileSync(`${BENCH_PKI}/${name}`)
const server = createServer(
  { key: file('apiserver.key'), cert: file('apiserver.crt'), ca: file('ca.crt'), requestCert: true, noDelay: true },
  (request, response) => {
    if (request.method === 'GET') return reply(response, 200, database.getBinary(1))
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      waiting.push({ body: chunks.length === 1 ? chunks[0] : Buffer.concat(chunks), response })
      if (!busy && waiting.length === 1) setImmediate(() => void commit())
    })
  },
)
server.listen(Number(BENCH_PORT), '127.0.0.1', () => console.log('ready'))
