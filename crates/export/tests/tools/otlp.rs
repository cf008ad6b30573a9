//! OpenTelemetry's own definition of its profiles reads them.

use crate::{Format, testing};
use opentelemetry_proto::tonic::{
    common::v1::any_value::Value,
    profiles::v1development::{Profile, ProfilesData, ProfilesDictionary, Sample},
};
use prost::Message;

fn data() -> ProfilesData {
    let bytes = testing::bytes(Format::Otlp, &testing::profile());
    ProfilesData::decode(&bytes[..]).unwrap()
}

fn profile<'a>(data: &'a ProfilesData, dictionary: &ProfilesDictionary, kind: &str) -> &'a Profile {
    let profiles = &data.resource_profiles[0].scope_profiles[0].profiles;
    profiles
        .iter()
        .find(|profile| {
            let kind_of = profile.sample_type.as_ref().unwrap().type_strindex;
            dictionary.string_table[kind_of as usize] == kind
        })
        .unwrap_or_else(|| panic!("no {kind}"))
}

/// A stack as a line of text, and the attributes of its sample.
fn describe(sample: &Sample, dictionary: &ProfilesDictionary) -> String {
    let text = |index: i32| &dictionary.string_table[index as usize];
    let stack = &dictionary.stack_table[sample.stack_index as usize];
    let frames = stack.location_indices.iter().rev().map(|&location| {
        let line = &dictionary.location_table[location as usize].lines[0];
        let function = &dictionary.function_table[line.function_index as usize];
        format!(
            "{} {}:{}",
            text(function.name_strindex),
            text(function.filename_strindex),
            line.line
        )
    });
    let attributes = sample.attribute_indices.iter().map(|&index| {
        let attribute = &dictionary.attribute_table[index as usize];
        let value = match attribute.value.as_ref().unwrap().value.as_ref().unwrap() {
            Value::StringValue(text) => text.clone(),
            Value::IntValue(number) => number.to_string(),
            other => panic!("{other:?}"),
        };
        format!(
            "{}={value}{}",
            text(attribute.key_strindex),
            text(attribute.unit_strindex)
        )
    });
    let frames: Vec<_> = frames.collect();
    let attributes: Vec<_> = attributes.collect();
    format!(
        "{} [{}] {:?}",
        frames.join(";"),
        attributes.join(" "),
        sample.values
    )
}

#[test]
fn stacks_values_and_attributes_are_all_there() {
    let data = data();
    let dictionary = data.dictionary.as_ref().unwrap();
    let samples = &profile(&data, dictionary, "samples").samples;
    let texts: Vec<_> = samples
        .iter()
        .map(|sample| describe(sample, dictionary))
        .collect();
    let total: i64 = samples.iter().flat_map(|sample| &sample.values).sum();
    assert_eq!(total, 12);
    let expected = "<main> /srv/app/index.php:9;App\\Foo::bar /srv/app/Foo.php:24;usleep :0 \
                    [process.pid=101 thread.id=101 phperf.state=blocked phperf.memory.used=2359296By \
                    phperf.memory.peak=2359296By http.request.method=GET url.path=/cart/é 1;2 \
                    phperf.script=/srv/app/index.php phperf.wait=database phperf.peer=127.0.0.1:5432] [4]";
    assert!(texts.iter().any(|text| text == expected), "{texts:#?}");
    let sum = |kind| -> i64 {
        let samples = &profile(&data, dictionary, kind).samples;
        samples.iter().flat_map(|sample| &sample.values).sum()
    };
    assert_eq!((sum("wall"), sum("cpu")), (120_000_000, 60_000_000));
}

#[test]
fn the_tables_begin_as_the_format_wants_it() {
    let data = data();
    let dictionary = data.dictionary.unwrap();
    assert_eq!(dictionary.string_table[0], "");
    assert_eq!(dictionary.stack_table[0].location_indices, [0; 0]);
    assert_eq!(dictionary.function_table[0].name_strindex, 0);
    assert!(dictionary.location_table[0].lines.is_empty());
    assert_eq!(dictionary.attribute_table[0].key_strindex, 0);
    assert_eq!(
        (dictionary.mapping_table.len(), dictionary.link_table.len()),
        (1, 1)
    );
    let profile = &data.resource_profiles[0].scope_profiles[0].profiles[0];
    assert_eq!(
        (profile.time_unix_nano, profile.duration_nano),
        (1_700_000_000_000_000_000, 100_000_000)
    );
    let attributes = &data.resource_profiles[0].resource.as_ref().unwrap().attributes;
    assert!(
        attributes
            .iter()
            .any(|attribute| attribute.key == "process.runtime.version")
    );
}
