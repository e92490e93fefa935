import { readdirSync } from 'node:fs'

import js from '@eslint/js'
import jsxA11y from 'eslint-plugin-jsx-a11y'
import reactHooks from 'eslint-plugin-react-hooks'
import tseslint from 'typescript-eslint'

/** Layers point one way: app → features → components, graph, lib, strings → generated. Features are islands. */
const features = readdirSync(new URL('./src/features', import.meta.url), { withFileTypes: true })
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
    // What people read stands in src/strings, so that another language is one folder.
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
        ].map((selector) => ({ selector, message: 'Sentences stand in src/strings.' })),
      ],
    },
  },
  {
    files: ['**/*.{js,mjs}'],
    languageOptions: { globals: { console: 'readonly', process: 'readonly', URL: 'readonly' } },
  },
  boundary(
    ['src/lib/**/*.{ts,tsx}'],
    ['@/app/**', '@/features/**', '@/components/**', '@/graph/**'],
    'lib is the lowest layer.',
  ),
  boundary(
    ['src/strings/**/*.ts'],
    ['@/app/**', '@/features/**', '@/components/**', 'react', 'react-dom'],
    'strings are words alone.',
  ),
  boundary(
    ['src/graph/**/*.{ts,tsx}'],
    ['@/app/**', '@/features/**', '@/components/**', 'react', 'react-dom', '@xyflow/react'],
    'graph is pure TypeScript: no React, no upper layer.',
  ),
  boundary(
    ['src/components/**/*.{ts,tsx}'],
    ['@/app/**', '@/features/**'],
    'components know no feature.',
  ),
  ...features.map((name) =>
    boundary(
      [`src/features/${name}/**/*.{ts,tsx}`],
      ['@/app/**', '@/features/**', `!@/features/${name}`, `!@/features/${name}/**`],
      'Features do not import each other; share through components or lib.',
    ),
  ),
)
