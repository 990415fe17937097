import type { TestContext } from 'node:test'
import { encodePem } from '@orrery/kube/pki'
import { issueClient, testAuthority } from '@orrery/kube/testing'
import { type Listener, type ListenerOptions, listen } from '../http/listener.js'

const authority = testAuthority()
const { certificate, key } = issueClient(authority, { name: 'localhost' })

/** Opens a port until the end of the test, with a certificate that no client trusts. */
export async function listenFor(
  t: TestContext,
  options: Pick<ListenerOptions, 'handle'> & Partial<ListenerOptions>,
): Promise<Listener> {
  const listener = await listen({
    host: '127.0.0.1',
    port: 0,
    key: key.export({ type: 'pkcs8', format: 'pem' }),
    cert: encodePem('CERTIFICATE', certificate.der),
    clientCa: authority.certificatePem,
    ...options,
  })
  t.after(() => listener.close(0))
  return listener
}
