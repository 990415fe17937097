import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** Directories without pages of our own. */
const SKIPPED = new Set(['node_modules', 'dist', '.git', 'target', 'vendor'])

/** All Markdown pages of the repository. */
function pagesIn(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((item) => {
    const path = join(directory, item.name)
    if (item.isDirectory()) return SKIPPED.has(item.name) ? [] : pagesIn(path)
    return item.name.endsWith('.md') ? [path] : []
  })
}

function withoutCode(text: string): string {
  return text.replaceAll(/^( *)```.*?^\1```$/gms, '')
}

/** The anchors that GitHub creates for the headings of a page. */
function anchorsOf(page: string): Set<string> {
  const headings = [...withoutCode(readFileSync(page, 'utf8')).matchAll(/^#+ (.+)$/gm)].map(([, text = '']) => text)
  const seen = new Map<string, number>()
  return new Set(
    headings.map((heading) => {
      const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
      const anchor = plain.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-')
      const count = seen.get(anchor) ?? 0
      seen.set(anchor, count + 1)
      return count === 0 ? anchor : `${anchor}-${count}`
    }),
  )
}

const pages = pagesIn(ROOT)

test('*.md: every relative link leads to an existing file and heading', () => {
  assert.ok(pages.length > 30)
  const broken: string[] = []
  for (const page of pages) {
    for (const [, link = ''] of withoutCode(readFileSync(page, 'utf8')).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(link)) continue
      const [path = '', anchor] = link.split('#')
      const target = path === '' ? page : join(dirname(page), path)
      const isThere = existsSync(target) && (anchor === undefined || anchorsOf(target).has(anchor))
      if (!isThere) broken.push(`${relative(ROOT, page)}: ${link}`)
    }
  }
  assert.deepEqual(broken, [])
})

for (const page of ['docs/glossary.md', 'docs/explanation/architecture.md']) {
  test(`${page}: every path exists`, () => {
    const paths = [...readFileSync(join(ROOT, page), 'utf8').matchAll(/`(packages\/[^`]+)`/g)].map(
      ([, path = '']) => path,
    )
    assert.ok(paths.length > 10)
    assert.deepEqual(
      paths.filter((path) => !existsSync(join(ROOT, path))),
      [],
    )
  })
}

test('README.md: the list of packages has all of them, and every folder in it exists', () => {
  const rows = [...readFileSync(join(ROOT, 'README.md'), 'utf8').matchAll(/^\| \[(\w+)\]\(packages\/.*\| (.*) \|$/gm)]
  assert.deepEqual(rows.map(([, name]) => name).sort(), readdirSync(join(ROOT, 'packages')).sort())
  const folders = rows.flatMap(([, name = '', cell = '']) =>
    [...cell.matchAll(/`([\w-]+)`/g)].map(([, folder = '']) => join('packages', name, 'src', folder)),
  )
  assert.ok(folders.length > 30)
  assert.deepEqual(
    folders.filter((folder) => !existsSync(join(ROOT, folder))),
    [],
  )
})

test('packages/*/README.md: every source file and folder that a page names exists', () => {
  const missing: string[] = []
  for (const name of readdirSync(join(ROOT, 'packages'))) {
    const sources = readdirSync(join(ROOT, 'packages', name, 'src'), { recursive: true, encoding: 'utf8' })
    const page = withoutCode(readFileSync(join(ROOT, 'packages', name, 'README.md'), 'utf8'))
    for (const [, path = ''] of page.matchAll(/`([\w./-]+\.ts|(?:src|packages)\/[\w./-]+)`/g)) {
      const isSource = sources.some((source) => `/${source}`.endsWith(`/${path}`))
      const isThere = isSource || [ROOT, join(ROOT, 'packages', name)].some((base) => existsSync(join(base, path)))
      if (!isThere) missing.push(`${name}: ${path}`)
    }
  }
  assert.deepEqual(missing, [])
})
