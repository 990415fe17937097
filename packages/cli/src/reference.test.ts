import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { run } from './run-program.fixture.js'

function text(path: string): string {
  return readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
}

test('docs/reference/apiserver.md: lists the options of --help', async () => {
  const { out } = await run('apiserver', '--help')
  const rows = /\| option \| meaning \|\n(.*?)\n\n/s.exec(text('docs/reference/apiserver.md'))?.[1] ?? ''
  const documented = rows.replace(/^(\|[^|]*\|).*$/gm, '$1')
  const optionsOf = (page: string, pattern: RegExp) =>
    [...page.matchAll(pattern)].map(([, option]) => option).filter((option) => option !== '--help')
  assert.deepEqual(optionsOf(documented, /`(--[a-z-]+)/g).sort(), optionsOf(out, /^ {2}(?:-\w, )?(--[a-z-]+)/gm).sort())
})

test('docs/reference/cli.md: lists the options of --help of every command, which has examples', async () => {
  assert.match((await run('--help')).out, /^Examples:$/m)
  const sections = text('docs/reference/cli.md')
    .split(/^### orrery /m)
    .slice(1)
  assert.ok(sections.length > 15)
  for (const section of sections) {
    const [command = ''] = section.split('\n')
    const [body = ''] = section.split('\n## ')
    const { out } = await run(...command.split(' '), '--help')
    const firstCells = [...body.matchAll(/^\| (`--[^|]*) \|/gm)].map(([, cell]) => cell).join(' ')
    const documented = [...firstCells.matchAll(/`(--[a-z-]+)`/g)].map(([, option]) => option)
    const listed = [...out.matchAll(/^ {2}(?:--?[a-zA-Z]+, )?(--[a-z-]+)/gm)].map(([, option]) => option)
    assert.deepEqual(documented.sort(), listed.filter((option) => option !== '--help').sort(), command)
    assert.match(out, /^Examples:$/m, `${command} --help has examples`)
  }
})
