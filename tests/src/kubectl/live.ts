import assert from 'node:assert/strict'
import type { Kubectl } from './kubectl.js'

const MAP = ['create', 'configmap', 'watched', '--from-literal=a=b']

/** Changes an object while `get -w` watches it. */
export async function watchWrites(kubectl: Kubectl): Promise<void> {
  const inNamespace = (...args: string[]) => ['--namespace', 'default', ...args]
  await kubectl.run(inNamespace(...MAP))
  const writes = [
    ['label', 'configmap', 'watched', 'step=one'],
    ['label', 'configmap', 'watched', 'step=two', '--overwrite'],
    ['delete', 'configmap', 'watched'],
  ]
  let written = 0
  const watch = ['get', 'configmap', '--field-selector=metadata.name=watched', '--watch', '--output-watch-events']
  const seen = await kubectl.run(inNamespace(...watch, '--show-labels'), {
    until(stdout) {
      // Each line triggers the next write, so that every event is awaited.
      for (const lines = stdout.split('\n').length - 2; written < lines && written < writes.length; written++) {
        void kubectl.run(inNamespace(...(writes[written] ?? [])))
      }
      // The line may arrive in chunks: only a complete one is the last.
      return /^DELETED.*\n/m.test(stdout)
    },
  })
  const events = seen.stdout.trimEnd().split('\n').slice(1)
  assert.deepEqual(
    events.map((line) => line.trimEnd().split(/ {2,}/)).map((cells) => [cells[0], cells.at(-1)]),
    [
      ['ADDED', '<none>'],
      ['MODIFIED', 'step=one'],
      ['MODIFIED', 'step=two'],
      ['DELETED', 'step=two'],
    ],
  )
}

/** Starts `kubectl proxy` and sends requests through it without credentials. */
export async function useProxy(kubectl: Kubectl): Promise<void> {
  const end = new AbortController()
  let proxy: Promise<unknown> | undefined
  const address = await new Promise<string>((resolve) => {
    proxy = kubectl.run(['proxy', '--port=0'], {
      signal: end.signal,
      until(stdout) {
        const listening = /serve on (\S+)\n/.exec(stdout)?.[1]
        if (listening !== undefined) resolve(listening)
        return false
      },
    })
  })
  const response = await fetch(`http://${address}/api/v1/namespaces/default`)
  const body = (await response.json()) as { kind?: string }
  end.abort()
  await proxy
  assert.equal(response.status, 200)
  assert.equal(body.kind, 'Namespace')
}
