import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Organization } from '../../kinds/organization.js'
import { Template } from '../../kinds/template.js'
import { idOf, parseId } from './ids.js'

const object = (namespace: string | undefined, name: string) => ({ metadata: { namespace, name } }) as never

test('ids: name objects by organization and name', () => {
  for (const [namespace, name, id] of [
    ['org-acme', 'web', 'acme.web'],
    ['org-acme', 'ubuntu-22.04', 'acme.ubuntu-22.04'],
    ['ovim-system', 'small', 'public.small'],
  ] as const) {
    assert.equal(idOf(object(namespace, name)), id)
    assert.deepEqual(parseId(Template, id), { namespace, name })
  }
  assert.deepEqual(parseId(Organization, 'acme'), { name: 'acme' })
  assert.equal(parseId(Template, '3a0f7f0e-7d3b-4b6e-9a57-0c6d0f4f4a11'), undefined)
})

test('ids: an id without an organization is in no namespace that can exist', () => {
  assert.deepEqual(parseId(Template, 'small'), { namespace: 'org-', name: 'small' })
})
