// Unfold leaves some of its controls to the mouse, and everything that scrolls has the same name.
// The names stand in the page, in the language of its reader: `rows` is `data-name-rows`.
const SCROLLED = {
  "#nav-sidebar-apps": "everything",
  "#changelist-form [data-simplebar]": "rows",
  "#changelist-filter [data-simplebar]": "filters",
}

const LANDMARKS = {
  "#nav-sidebar-inner": "administration",
  "#nav-sidebar-inner nav": "account",
}

const CONTROLS = {
  "#header-inner span[x-on\\:click]": "menu",
  "#nav-sidebar-inner > div > span[x-on\\:click]": "close",
  "#nav-sidebar-inner div[x-on\\:click*=openUserLinks]": "account",
  "#changelist a[x-on\\:click]:not([href])": "filters",
}

const nameOf = (key) => document.getElementById("page").getAttribute(`data-name-${key}`)

const each = (named, change) =>
  Object.entries(named).forEach(([selector, key]) =>
    document.querySelectorAll(selector).forEach((element) => change(element, nameOf(key))),
  )

const press = (event) => {
  if (event.key !== "Enter" && event.key !== " ") return
  event.preventDefault()
  event.currentTarget.click()
}

const makeButton = (element, name) => {
  element.tabIndex = 0
  element.role = "button"
  element.addEventListener("keydown", press)
  // An icon is the name of its picture.
  element.querySelectorAll(".material-symbols-outlined").forEach((icon) => (icon.ariaHidden = true))
  if (element.matches(".material-symbols-outlined")) element.ariaLabel = name
  else element.title = name
}

document.addEventListener("DOMContentLoaded", () => {
  each(SCROLLED, (element, name) => element.setAttribute("data-simplebar-aria-label", name))
  each(LANDMARKS, (element, name) => (element.ariaLabel = name))
  each(CONTROLS, makeButton)
  // They stand below the title of the page, with no heading between.
  document.querySelectorAll("#changelist-filter h3").forEach((heading) => (heading.ariaLevel = 2))
})
