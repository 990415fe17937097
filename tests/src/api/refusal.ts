import assert from 'node:assert/strict'
import type { AnyKind } from '@orrery/api'
import { formatFieldError, StatusError } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'

/** Checks that an object with these fields is rejected, by the kind and by a server, with this error among others. */
export async function assertRefused(
  client: KubeClient,
  kind: AnyKind,
  fields: object,
  field: string,
  message: string,
): Promise<void> {
  const namespace = kind.scope === 'Namespaced' ? { namespace: 'default' } : {}
  const object = { metadata: { generateName: 'refused-', ...namespace }, ...fields }
  const found = kind.validate(object)
  assert.ok(
    found.some((error) => error.field === field && error.body.startsWith(message)),
    found.map(formatFieldError).join('\n'),
  )
  const said = new Set(found.map(formatFieldError))
  assert.deepEqual(new Set(await causes(client, kind, object)), said)
}

/** The errors of the server for an object, in the same form as the kind's own. */
export async function causes(client: KubeClient, kind: AnyKind, object: object): Promise<string[]> {
  try {
    const created = await client.create(kind, object)
    // A status is ignored on creation, valid or not.
    if ('status' in object) await client.update(kind, { ...created, status: object.status }, { subresource: 'status' })
  } catch (error) {
    assert.ok(error instanceof StatusError)
    assert.equal(error.status.code, 422)
    return (error.status.details?.causes ?? [])
      .filter((cause) => !cause.message?.includes('some validation rules were not checked'))
      .map((cause) => `${cause.field}: ${cause.message}`)
  }
  throw new assert.AssertionError({ message: 'the server took it' })
}
