import { createHash } from 'node:crypto'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { altNamesOf, createAuthority, DistinguishedName, generateKey, issueLeaf } from '@orrery/kube/pki'
import type { MaestroClientOptions } from '@orrery/maestro'
import { type MaestroServer, startMaestroServer } from '@orrery/maestro/server'
import { createEmptyDatabase } from './embedded-database.js'
import { afterwards, temporaryDirectory } from './server.js'

const HOUR = 3_600_000
const SOURCE = 'my-adapter'

export interface SecureMaestro {
  readonly server: MaestroServer
  /** For clients, which need a token besides. */
  readonly options: Omit<MaestroClientOptions, 'token' | 'tokenFile'>
  readonly caFile: string
  /** How often something was counted, by the start of the metric's line. */
  count(series: string): number
  /** Accepts only these tokens from now on. */
  accept(tokens: readonly string[]): Promise<void>
  stop(): Promise<void>
  /** Starts it again on the same ports with the same data. */
  start(): Promise<void>
}

/** A Maestro server with TLS, which accepts tokens as the user `adapter`. It may do everything as the source `my-adapter`. */
export async function startSecureMaestro(
  t: Pick<TestContext, 'after'>,
  tokens: readonly string[],
): Promise<SecureMaestro> {
  const directory = await temporaryDirectory(t)
  const files = { certFile: join(directory, 'tls.crt'), keyFile: join(directory, 'tls.key') }
  const [caFile, policyFile] = [join(directory, 'ca.crt'), join(directory, 'policy.json')]
  const validity = { notBefore: new Date(Date.now() - HOUR), notAfter: new Date(Date.now() + HOUR) }
  const { notBefore, notAfter } = validity
  const authority = createAuthority('test', generateKey().privateKey, notBefore, notAfter)
  const leaf = issueLeaf(authority, {
    subject: DistinguishedName.of('maestro'),
    altNames: altNamesOf(['localhost', '127.0.0.1']),
    usages: ['digital signature', 'server auth'],
    ...validity,
  })
  const sha256 = (token: string) => createHash('sha256').update(token).digest('hex')
  const rules = [
    { users: ['adapter'], verbs: ['pub', 'sub'], paths: [`/sources/${SOURCE}`] },
    { users: ['adapter'], verbs: ['*'], paths: ['/api/maestro*'] },
  ]
  const accept = async (accepted: readonly string[]) => {
    const policy = { rules, tokens: accepted.map((token) => ({ user: 'adapter', sha256: sha256(token) })) }
    await writeFile(`${policyFile}.new`, JSON.stringify(policy))
    await rename(`${policyFile}.new`, policyFile)
  }
  const data = join(directory, 'data')
  await createEmptyDatabase(data)
  await writeFile(files.certFile, leaf.certificate)
  await writeFile(files.keyFile, leaf.key)
  await writeFile(caFile, authority.certificatePem)
  await accept(tokens)
  const startOn = (rest: number, sources: number) =>
    startMaestroServer({
      database: { directory: data },
      ports: { rest, sources, agents: 0, health: false, metrics: false },
      tls: { rest: files, sources: files },
      access: { policyFile },
    })
  let server = await startOn(0, 0)
  const { rest = 0, sources = 0 } = server.ports
  afterwards(t, () => server.close())
  return {
    get server() {
      return server
    },
    options: {
      apiUrl: `https://127.0.0.1:${rest}`,
      grpcUrl: `grpcs://localhost:${sources}`,
      ca: { file: caFile },
      sourceId: SOURCE,
    },
    caFile,
    count(series) {
      const line = server.metrics
        .render()
        .split('\n')
        .find((text) => text.startsWith(series))
      return Number(line?.split(' ').at(-1) ?? 0)
    },
    accept,
    stop: () => server.close(),
    async start() {
      server = await startOn(rest, sources)
    },
  }
}
