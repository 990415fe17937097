// Holds many watches, each on its own connection, and reports when each has received the event of a write.
import { connectTls } from './connection.mjs'

const NAME = Buffer.from('"name":"seen-')

/** By write: when the watchers received it. */
const moments = new Map()
let watchers = 0

process.on('message', async ({ open, collect }) => {
  if (open !== undefined) {
    await openAll(open)
    process.send({ opened: watchers })
  } else process.send({ moments: [...moments.entries()].filter(([write]) => collect.includes(write)) })
})

async function openAll({ target, path, count }) {
  while (watchers < count) {
    const batch = Array.from({ length: Math.min(50, count - watchers) }, () => openWatch(target, path))
    await Promise.all(batch)
    watchers += batch.length
  }
}

async function openWatch(target, path) {
  const socket = await connectTls(target)
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: bench/1\r\nAccept: application/json\r\n\r\n`)
  await new Promise((resolve) => {
    socket.once('data', () => resolve())
  })
  socket.on('data', note)
}

/** An event of this size fits into one TLS record, so its name is never split. */
function note(chunk) {
  const now = process.hrtime.bigint()
  for (let at = chunk.indexOf(NAME); at >= 0; at = chunk.indexOf(NAME, at + 1)) {
    const start = at + NAME.length
    const write = Number(chunk.latin1Slice(start, chunk.indexOf('"', start)))
    const seen = moments.get(write) ?? []
    if (seen.length === 0) moments.set(write, seen)
    seen.push(Number(now))
    if (seen.length === watchers) process.send({ complete: write })
  }
}
