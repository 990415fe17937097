// The peer for lists: keeps 500 ConfigMaps as objects, as our server would serve them, and serializes them for every
// request.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'

const { BENCH_DATA, BENCH_PKI, BENCH_PORT } = process.env

const list = JSON.parse(readFileSync(`${BENCH_DATA}/list.json`, 'utf8'))
const file = (name) => readFileSync(`${BENCH_PKI}/${name}`)
const server = createServer(
  { key: file('apiserver.key'), cert: file('apiserver.crt'), ca: file('ca.crt'), requestCert: true, noDelay: true },
  (_request, response) => {
    const body = Buffer.from(JSON.stringify(list))
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length })
    response.end(body)
  },
)
server.listen(Number(BENCH_PORT), '127.0.0.1', () => console.log('ready'))
