import { readdirSync } from 'node:fs'

import js from '@eslint/js'
import jsxA11y from 'eslint-plugin-jsx-a11y'
import reactHooks from 'eslint-plugin-react-hooks'
import tseslint from 'typescript-eslint'

/** Layers point one way: app → features → families → components, graph, lib, strings → generated. Features are
 * islands, and so are families. */
const foldersIn = (layer) =>
  readdirSync(new URL(`./src/${layer}`, import.meta.url), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)

const climbing = {
  regex: '^\\.\\.(/|$)',
  message: 'Import from another folder through @/, so that the layers stay visible.',
}

const boundary = (files, group, message) => ({
  files,
  rules: {
    'no-restricted-imports': ['error', { patterns: [climbing, { group, message }] }],
  },
})

/** A design may be a script: the designer shows it as the run page does. */
const SHOWN_BY = { designs: ['scripts'] }
const ABOVE_FAMILIES = ['@/app/**', '@/features/**']
const BESIDE_GRAPH = ['@/components/**', 'react', 'react-dom', '@xyflow/react']

export default tseslint.config(
  { ignores: ['dist', 'node_modules', 'src/generated', 'test-artifacts'] },
  js.configs.recommended,
  {
    files: ['**/*.{ts,tsx}'],
    extends: [
      ...tseslint.configs.strictTypeChecked,
      ...tseslint.configs.stylisticTypeChecked,
      reactHooks.configs.flat.recommended,
      jsxA11y.flatConfigs.strict,
    ],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      // Dialogs and the login page put the focus where the typing begins.
      'jsx-a11y/no-autofocus': ['error', { ignoreNonDOM: true }],
      'no-restricted-imports': ['error', { patterns: [climbing] }],
    },
  },
  {
    // What people read stands in src/strings and the words of families, so that another language is those alone.
    files: ['src/**/*.tsx'],
    ignores: ['src/**/tests/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...[
          'JSXText[value=/[A-Za-z]{2}/]',
          'JSXElement > JSXExpressionContainer > Literal[value=/[A-Za-z]{2} [A-Za-z]/]',
          'JSXElement > JSXExpressionContainer > TemplateLiteral > TemplateElement[value.raw=/[A-Za-z]{3} [a-z]/]',
          'JSXAttribute[name.name=/^(aria-label|aria-description|aria-roledescription|title|label|placeholder|alt|help|description)$/] > Literal[value=/^[A-Z][a-z]|[A-Za-z]{2} [a-z]/]',
        ].map((selector) => ({
          selector,
          message: 'Sentences stand in src/strings, a family’s in its words.',
        })),
      ],
    },
  },
  {
    files: ['src/**/tests/**'],
    rules: {
      'no-restricted-properties': [
        'error',
        {
          object: 'vi',
          property: 'mock',
          message: 'Test files share their modules, so it depends on their order what it replaces.',
        },
      ],
    },
  },
  {
    files: ['**/*.{js,mjs}'],
    languageOptions: { globals: { console: 'readonly', process: 'readonly', URL: 'readonly' } },
  },
  boundary(
    ['src/lib/**/*.{ts,tsx}'],
    ['@/app/**', '@/features/**', '@/families/**', '@/components/**', '@/graph/**'],
    'lib is the lowest layer.',
  ),
  boundary(
    ['src/strings/**/*.ts'],
    ['@/app/**', '@/features/**', '@/families/**', '@/components/**', 'react', 'react-dom'],
    'strings are words alone.',
  ),
  boundary(
    ['src/graph/**/*.{ts,tsx}'],
    [...ABOVE_FAMILIES, '@/families/**', ...BESIDE_GRAPH],
    'graph is pure TypeScript: no React, no upper layer.',
  ),
  boundary(
    ['src/components/**/*.{ts,tsx}'],
    [...ABOVE_FAMILIES, '@/families/**'],
    'components know no feature and no family.',
  ),
  // Tests tell whole runs, with every family.
  boundary(
    ['src/graph/**/tests/**'],
    [...ABOVE_FAMILIES, ...BESIDE_GRAPH],
    'graph is pure TypeScript: no React, no upper layer.',
  ),
  boundary(['src/components/**/tests/**'], ABOVE_FAMILIES, 'components know no feature.'),
  boundary(['src/families/*.ts'], ABOVE_FAMILIES, 'Families know no feature.'),
  ...foldersIn('families').flatMap((name) => {
    const others = [
      ...ABOVE_FAMILIES,
      '@/families/**',
      `!@/families/${name}`,
      `!@/families/${name}/**`,
    ]
    const message =
      'Families know no feature and not each other; share through components or graph.'
    return [
      boundary([`src/families/${name}/**/*.{ts,tsx}`], others, message),
      boundary([`src/families/${name}/tests/**`], [...others, '!@/families/all'], message),
    ]
  }),
  ...foldersIn('features').flatMap((name) => {
    const others = [
      ...['@/app/**', '@/features/**', `!@/features/${name}`, `!@/features/${name}/**`],
      ...['@/families/**', '!@/families/registry'],
      ...(SHOWN_BY[name] ?? []).flatMap((family) => [
        `!@/families/${family}`,
        `!@/families/${family}/**`,
      ]),
    ]
    const message =
      'Features know families by the registry and not each other; share through components or lib.'
    return [
      boundary([`src/features/${name}/**/*.{ts,tsx}`], others, message),
      boundary([`src/features/${name}/tests/**`], [...others, '!@/families/all'], message),
    ]
  }),
)
