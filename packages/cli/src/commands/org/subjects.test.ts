import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memberList, memberText } from './subjects.js'

test('memberList: reads users, groups and service accounts', () => {
  const members = memberList('alice,group:dev', memberList('sa:people/bob'))
  assert.deepEqual(members, [
    { kind: 'ServiceAccount', namespace: 'people', name: 'bob' },
    { kind: 'User', name: 'alice' },
    { kind: 'Group', name: 'dev' },
  ])
  assert.deepEqual(members.map(memberText), ['serviceaccount:people/bob', 'alice', 'group:dev'])
  assert.deepEqual(memberList('user:https://issuer#alice'), [{ kind: 'User', name: 'https://issuer#alice' }])
  for (const text of ['', 'group:', 'sa:bob', 'sa:a/b/c', 'alice,,bob']) {
    assert.throws(() => memberList(text), /Use /, text)
  }
})
