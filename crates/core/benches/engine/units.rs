//! What files of several languages consist of.
//!
//! In: the name of a file and a size. Out: a text of that language and size.

/// Returns a text of about `size` bytes; `0N` in a unit is its number.
pub(crate) fn text(name: &str, size: usize) -> String {
    let unit = unit(name);
    let mut text = match name {
        "a.go" => "package a\n\n".to_owned(),
        _ => String::with_capacity(size + unit.len()),
    };
    for number in 0.. {
        text.push_str(&unit.replace("0N", &number.to_string()));
        if text.len() >= size {
            break;
        }
    }
    text
}

fn unit(name: &str) -> &'static str {
    match name {
        "a.ts" => TS,
        "a.tsx" => TSX,
        "a.py" => PY,
        "a.go" => GO,
        "a.java" => JAVA,
        "a.c" => C,
        "a.yaml" => YAML,
        "a.css" => CSS,
        _ => RUST,
    }
}

const RUST: &str = "/// Returns what is left of order 0N.
pub(crate) fn rest0N(items: &[Item], from: usize) -> Result<Vec<&Item>, Error> {
    let Some(items) = items.get(from..) else {
        return Err(Error::Range { from });
    };
    let wanted = items.iter().filter(|item| item.count > 0N && !item.name.is_empty());
    Ok(wanted.collect())
}

";

const TS: &str = "export interface Order0N {
  id: string;
  items: readonly Item[];
}

export async function load0N(id: string, options: Options = {}): Promise<Order0N> {
  const answer = await fetch(`/api/orders/${id}`, { method: 'GET', ...options });
  if (!answer.ok) {
    throw new Error(`no answer: ${answer.status}`);
  }
  const order = (await answer.json()) as Order0N;
  const wanted = order.items.filter((item) => item.count > 0N && item.name !== '');
  return { ...order, items: wanted };
}

";

const TSX: &str = "export function Panel0N({ items, onPick }: PanelProps) {
  const [open, setOpen] = useState<boolean>(false);
  const wanted = items.filter((item) => item.count > 0N && !item.hidden);
  return (
    <section className=\"panel\" data-open={open} onClick={() => setOpen(!open)}>
      {wanted.map((item) => (
        <Row key={item.id} label={`${item.name} (${item.count})`} onClick={() => onPick(item)} />
      ))}
    </section>
  );
}

";

const PY: &str = "class Order0N(Order):
    \"\"\"An order.\"\"\"

    def rest(self, items: list[Item], start: int = 0) -> list[Item]:
        if start > len(items):
            raise ValueError(f\"{start} is beyond {len(items)}\")
        wanted = [item for item in items[start:] if item.count > 0N and item.name]
        return sorted(wanted, key=lambda item: item.name)


";

const GO: &str = "// Rest0N returns what is left.
func Rest0N(items []Item, from int) ([]Item, error) {
\tif from > len(items) {
\t\treturn nil, fmt.Errorf(\"%d is beyond %d\", from, len(items))
\t}
\tvar wanted []Item
\tfor _, item := range items[from:] {
\t\tif item.Count > 0N && item.Name != \"\" {
\t\t\twanted = append(wanted, item)
\t\t}
\t}
\treturn wanted, nil
}

";

const JAVA: &str = "final class Order0N implements Order {
    private final List<Item> items;

    Order0N(List<Item> items) {
        this.items = List.copyOf(items);
    }

    @Override
    public List<Item> rest(int from) {
        var wanted = items.stream().skip(from).filter(item -> item.count() > 0N);
        return wanted.sorted(Comparator.comparing(Item::name)).toList();
    }
}

";

const C: &str = "/* Returns how many are left. */
static size_t rest0N(const struct item *items, size_t count, size_t from)
{
    size_t wanted = 0;
    for (size_t i = from; i < count; i++) {
        if (items[i].count > 0N && items[i].name != NULL) {
            wanted++;
        }
    }
    return wanted;
}

";

const YAML: &str = "order0N:
  image: \"registry/orders:0N\"
  wanted: true
  environment:
    - NAME=orders
    - COUNT=0N
  ports: [\"8080:80\", \"8443:443\"]
";

const CSS: &str = ".order-0N > .item:not(.hidden) {
  display: grid;
  grid-template-columns: minmax(0, 1fr) auto;
  --wanted: 0N;
  color: rgb(0 0 0 / 80%);
}

";
