use super::*;
use crate::world::{GLOBALS, World, garbage, layout};
use proptest::prelude::*;

/// A value, to be put into memory.
enum Php<'a> {
    Undefined,
    Null,
    True,
    Long(i64),
    Double(f64),
    Text(&'a str),
    List(&'a [Self]),
    Map(&'a [(&'a str, Self)]),
    Object(&'a str),
    Reference(&'a Self),
}

impl World {
    /// A zval's type and word.
    fn php(&mut self, value: &Php<'_>) -> (u8, u64) {
        let layout = layout();
        match value {
            Php::Undefined => (0, 0),
            Php::Null => (1, 0),
            Php::True => (3, 0),
            Php::Long(number) => (4, number.cast_unsigned()),
            Php::Double(number) => (5, number.to_bits()),
            Php::Text(text) => (6, self.string(text)),
            Php::List(values) => {
                let step = u64::from(layout.array_packed_step);
                let data = self.allocate(step * values.len() as u64);
                for (index, value) in (0..).zip(*values) {
                    self.zval(data + index * step, value);
                }
                let array = self.allocate(64);
                self.put32(array, layout.array_flags, layout.array_flag_packed);
                self.put(array, layout.array_data, data);
                self.put32(array, layout.array_used, values.len() as u32);
                (7, array)
            }
            Php::Map(values) => {
                let array = self.allocate(64);
                self.map(array, values);
                (7, array)
            }
            Php::Object(class) => {
                let object = self.allocate(64);
                let class = self.class(class);
                self.put(object, layout.object_ce, class);
                (8, object)
            }
            Php::Reference(value) => {
                let reference = self.allocate(32);
                self.zval(reference + u64::from(layout.reference_val), value);
                (10, reference)
            }
        }
    }

    fn zval(&mut self, address: u64, value: &Php<'_>) {
        let (kind, word) = self.php(value);
        self.put(address, layout().zval_value, word);
        self.memory.write(at(address, layout().zval_type), &[kind]);
    }

    /// An array with a table of two places, so that keys meet there.
    fn map(&mut self, array: u64, values: &[(&str, Php<'_>)]) {
        let layout = layout();
        let table = self.allocate(8 + u64::from(layout.bucket_size) * values.len() as u64);
        let data = table + 8;
        let mut last = [u32::MAX; 2];
        for (index, (key, value)) in (0..).zip(values) {
            let bucket = data + u64::from(index) * u64::from(layout.bucket_size);
            self.zval(at(bucket, layout.bucket_val), value);
            let (hash, name) = match key.parse() {
                Ok(number) => (number, 0),
                Err(_) => (array::hash(key.as_bytes()), self.string(key)),
            };
            self.put(bucket, layout.bucket_h, hash);
            self.put(bucket, layout.bucket_key, name);
            // The places count down from the elements.
            let place = (hash as u32 | 2_u32.wrapping_neg()).wrapping_add(2) as usize;
            self.put32(at(bucket, layout.bucket_val), layout.zval_next, last[place]);
            last[place] = index;
        }
        self.put32(table, 0, last[0]);
        self.put32(table, 4, last[1]);
        self.put32(array, layout.array_mask, 2_u32.wrapping_neg());
        self.put(array, layout.array_data, data);
        self.put32(array, layout.array_used, values.len() as u32);
    }

    /// A frame of a function with these variables, and the function.
    fn frame_with(&mut self, variables: &[(&str, Php<'_>)]) -> (u64, u64) {
        let layout = layout();
        let function = self.user("run", &[3]);
        let names = self.allocate(8 * variables.len() as u64);
        let frame = self.call(function, 0);
        for (index, (name, value)) in (0..).zip(variables) {
            let name = self.string(name);
            self.put(names, index * 8, name);
            self.zval(frame + 80 + u64::from(index) * 16, value);
        }
        self.put32(function, layout.op_array_last_var, variables.len() as u32);
        self.put(function, layout.op_array_vars, names);
        (frame, function)
    }

    fn show(&mut self, value: Php<'_>) -> Option<String> {
        let (frame, function) = self.frame_with(&[("x", value)]);
        let mut shown = None;
        let unread = Variables::new(&self.memory, layout())
            .of_frame(frame, function, &[b"x"], |_, text| {
                shown = Some(String::from_utf8(text.to_vec()).unwrap());
            })
            .unwrap();
        assert_eq!(unread, 0);
        shown
    }

    fn global(&self, array: Option<&str>, key: &str) -> Option<String> {
        let mut text = Vec::new();
        Variables::new(&self.memory, layout())
            .global(GLOBALS, array.map(str::as_bytes), key.as_bytes(), &mut text)
            .unwrap()
            .then(|| String::from_utf8(text).unwrap())
    }
}

#[test]
fn values_are_written_as_phpspy_does() {
    let mut world = World::new();
    let mut show = |value| world.show(value).unwrap_or_else(|| "nothing".into());
    assert_eq!(show(Php::Long(-7)), "-7");
    assert_eq!(show(Php::Double(1.5)), "1.500000");
    assert_eq!(show(Php::Double(f64::NAN)), "nan");
    assert_eq!(show(Php::Text("a b")), "a b");
    assert_eq!(show(Php::Null), "null");
    assert_eq!(show(Php::True), "true");
    assert_eq!(show(Php::Object("App\\User")), "object(App\\User)");
    assert_eq!(show(Php::Undefined), "nothing");
    assert_eq!(show(Php::Reference(&Php::Long(3))), "3");
    assert_eq!(
        show(Php::List(&[Php::Long(1), Php::Undefined, Php::Text("b")])),
        "1,b,"
    );
    let inner = Php::Map(&[("a", Php::Long(1)), ("7", Php::Text("seven"))]);
    assert_eq!(
        show(Php::Map(&[("in", inner), ("b", Php::Null)])),
        "in=a=1,seven,,b=null,"
    );
}

#[test]
fn what_is_long_or_deep_is_cut() {
    let mut world = World::new();
    let shown = world.show(Php::Text(&"x".repeat(VALUE_MAX))).unwrap();
    assert_eq!(shown, "x".repeat(VALUE_MAX));
    let shown = world.show(Php::Text(&"é".repeat(VALUE_MAX))).unwrap();
    assert_eq!(shown, "é".repeat((VALUE_MAX - 3) / 2) + "…");
    let long: Vec<_> = (0..1000).map(Php::Long).collect();
    let shown = world.show(Php::List(&long)).unwrap();
    assert!(
        shown.len() <= VALUE_MAX && shown.starts_with("0,1,2,") && shown.ends_with('…'),
        "{shown}"
    );
    // An array that holds itself.
    let (_, array) = world.php(&Php::List(&[Php::Null]));
    let element = world.memory.read_u64(at(array, layout().array_data)).unwrap();
    world.put(element, layout().zval_value, array);
    world.memory.write(at(element, layout().zval_type), &[7]);
    let (frame, function) = world.frame_with(&[("x", Php::Null)]);
    world.put(frame + 80, layout().zval_value, array);
    world.memory.write(at(frame + 80, layout().zval_type), &[7]);
    let mut shown = Vec::new();
    Variables::new(&world.memory, layout())
        .of_frame(frame, function, &[b"x"], |_, text| shown = text.to_vec())
        .unwrap();
    assert_eq!(shown, "…,,,,,,,,".as_bytes());
}

#[test]
fn variables_of_a_frame_come_in_the_order_of_the_function() {
    let mut world = World::new();
    let variables = [
        ("one", Php::Long(1)),
        ("two", Php::Undefined),
        ("three", Php::Long(3)),
        ("fou", Php::Null),
    ];
    let (frame, function) = world.frame_with(&variables);
    let mut seen = Vec::new();
    let wanted: [&[u8]; 4] = [b"three", b"four", b"two", b"one"];
    Variables::new(&world.memory, layout())
        .of_frame(frame, function, &wanted, |which, text| {
            seen.push((which, text.to_vec()));
        })
        .unwrap();
    assert_eq!(seen, [(3, b"1".to_vec()), (0, b"3".to_vec())]);
}

#[test]
fn globals_are_found_by_their_keys() {
    let mut world = World::new();
    let server = Php::Map(&[
        ("REQUEST_TIME", Php::Long(17)),
        ("A", Php::Text("a")),
        ("B", Php::Text("b")),
    ]);
    let list = Php::List(&[Php::Long(10), Php::Long(11)]);
    let table = GLOBALS + u64::from(layout().eg_symbol_table);
    world.map(
        table,
        &[
            ("_SERVER", server),
            ("x", Php::Reference(&Php::Long(5))),
            ("_GET", list),
            ("n", Php::Null),
        ],
    );
    assert_eq!(
        world.global(Some("_SERVER"), "REQUEST_TIME").as_deref(),
        Some("17")
    );
    assert_eq!(world.global(Some("_SERVER"), "B").as_deref(), Some("b"));
    assert_eq!(world.global(Some("_SERVER"), "C"), None);
    assert_eq!(world.global(Some("_POST"), "A"), None);
    assert_eq!(world.global(Some("x"), "A"), None);
    assert_eq!(world.global(None, "x").as_deref(), Some("5"));
    assert_eq!(world.global(Some("_GET"), "1").as_deref(), Some("11"));
    assert_eq!(world.global(Some("_GET"), "2"), None);
    assert_eq!(world.global(Some("_GET"), "one"), None);
}

proptest! {
    #[test]
    fn garbage_ends_within_its_bounds(
        words in prop::collection::vec((any::<u8>(), any::<u64>()), 1..400),
        frame: u64,
        function: u64,
    ) {
        let memory = garbage(&words);
        let counting = crate::world::Counting::new(&memory);
        let variables = Variables::new(&counting, layout());
        for base in [GLOBALS, crate::world::PAGE] {
            let (frame, function) = (base + frame % 0x2000, base + function % 0x1000);
            let _ = variables.of_frame(frame, function, &[b"x", b""], |_, text| assert!(text.len() <= VALUE_MAX));
            for array in [None, Some(&b"_SERVER"[..])] {
                let mut text = b"before".to_vec();
                let _ = variables.global(base, array, b"x", &mut text);
                assert!(text.starts_with(b"before"));
            }
        }
        prop_assert!(counting.reads.get() < 64 * 1024);
    }
}
